// Is what nothing refers to given back, when there is nothing else to do?
import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import { restrainHeap, tidyHeap, tidyWhenQuiet } from "../src/heap.ts";

const LOOK = 100;

t.test("what a start left behind is given back", async (t) => {
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

t.test("not while the process works, and again only when the heap has grown", async (t) => {
  let times = 0;
  tidyWhenQuiet(LOOK, () => times++);
  for (let look = 0; look < 5; look++) {
    const until = performance.now() + LOOK;
    while (performance.now() < until) Math.sqrt(until);
    await sleep(1);
  }
  t.equal(times, 0);
  for (let look = 0; look < 50 && times === 0; look++) await sleep(LOOK);
  await sleep(3 * LOOK);
  t.equal(times, 1);
  const grown = Array.from({ length: 1_000_000 }, (_, index) => ({ index }));
  for (let look = 0; look < 50 && times === 1; look++) await sleep(LOOK);
  t.equal(times, 2, `${grown.length} objects more`);
});

t.test("once more after one that helped", async (t) => {
  let times = 0;
  let left: unknown[] | undefined = Array.from({ length: 1_000_000 }, (_, index) => ({ index }));
  tidyWhenQuiet(LOOK, () => {
    times++;
    left = undefined;
    tidyHeap();
  });
  for (let look = 0; look < 50 && times < 2; look++) await sleep(LOOK);
  t.ok(times >= 2, `${times} times, ${left ?? "nothing"} left`);
});
