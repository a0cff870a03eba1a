// Is what nothing refers to given back at once?
import t from "tap";
import { restrainHeap, tidyHeap } from "../src/heap.ts";

t.test("what a start left behind", async (t) => {
  restrainHeap();
  let left: string[] | undefined = Array.from({ length: 500_000 }, (_, index) => `left behind ${index}`);
  const before = process.memoryUsage();
  t.equal(left.length, 500_000);
  left = undefined;
  tidyHeap();
  const after = process.memoryUsage();
  t.ok(after.heapUsed < before.heapUsed - 10e6, `${before.heapUsed} bytes in use before, ${after.heapUsed} after`);
  t.ok(after.heapTotal < before.heapTotal, `${before.heapTotal} bytes kept before, ${after.heapTotal} after`);
});
