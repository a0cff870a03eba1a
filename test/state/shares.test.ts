// Are the rules in shared chains counted right, and each fragment only once?
import t from "tap";
import type { Fragment } from "../../src/state/kernel-state.ts";
import { countShares, linesOf, sharesOf } from "../../src/state/shares.ts";
import { buildFragment } from "../support/fragments.ts";

const CHAIN = { table: "nat", name: "KUBE-SERVICES" } as const;

function counted(key: string, lines: readonly string[], asked: string[]): Fragment {
  const fragment = buildFragment(key, lines);
  return {
    ...fragment,
    shares: (table) => {
      asked.push(key);
      return fragment.shares(table);
    },
  };
}

t.test("a page counts what its fragments have there", async (t) => {
  const page = [buildFragment("a"), buildFragment("b", []), buildFragment("c", ["c1", "c2"])];
  t.equal(countShares(page, CHAIN), 3);
  t.equal(countShares(page, { ...CHAIN, name: "KUBE-NODEPORTS" }), 0);
  t.equal(countShares(page, { ...CHAIN, table: "filter" }), 0);
  t.strictSame(
    sharesOf(page, "nat")
      .get("KUBE-SERVICES")
      ?.map(({ line }) => line),
    ["-A KUBE-SERVICES -j a", "-A KUBE-SERVICES -j c1", "-A KUBE-SERVICES -j c2"],
  );
  t.strictSame(
    page.map((fragment) => linesOf(fragment, CHAIN).length),
    [1, 0, 2],
  );
});

t.test("a fragment is asked once, on whatever page it stands", async (t) => {
  const asked: string[] = [];
  const [a, b, c] = [counted("a", ["a"], asked), counted("b", ["b"], asked), counted("c", [], asked)];
  t.equal(countShares([a, b], CHAIN), 2);
  t.equal(countShares([a, c], CHAIN), 1);
  t.strictSame(asked, ["a", "b", "c"]);
});

t.test("what was written out is counted by the way", async (t) => {
  const asked: string[] = [];
  const page = [counted("a", ["a1", "a2"], asked)];
  sharesOf(page, "nat");
  t.equal(countShares(page, CHAIN), 2);
  t.strictSame(asked, ["a"]);
});
