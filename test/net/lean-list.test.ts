// Is a list for keeping the same list, and is there one empty list only?
import t from "tap";
import { lean } from "../../src/net/lean-list.ts";

t.test("the items stay, in a list of their own", async (t) => {
  const list = ["a", "b"];
  t.strictSame(lean(list), list);
  t.not(lean(list), list);
});

t.test("all empty lists are one", async (t) => {
  t.equal(lean<string>([]), lean<number>([]));
});
