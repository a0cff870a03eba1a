// Is there one empty list only?
import t from "tap";
import { shareEmpty } from "../../src/net/no-items.ts";

t.test("empty lists are the same, others are as they were", async (t) => {
  t.equal(shareEmpty<string>([]), shareEmpty<number>([]));
  const list = ["a"];
  t.equal(shareEmpty(list), list);
});
