// Tests of the count of rules: all chains of ours, each ServicePort written out only once.
import t from "tap";
import type { Fragment } from "../../src/state/kernel-state.ts";
import { countRules, noteOwnRules } from "../../src/state/rule-count.ts";
import { buildChain, buildFragment, buildState } from "../support/fragments.ts";
import { INDEXED_CHAIN, placedFragment } from "../support/indexed-chain.ts";

t.test("rules of fixed chains, of fragments' own chains, and their shares", async (t) => {
  const own = buildFragment("a", ["A", "B"], [buildChain("KUBE-SVC-A", "RETURN", "ACCEPT")]);
  const fixed = { ...buildChain("KUBE-SERVICES", "RETURN"), last: [{ line: "-A KUBE-SERVICES -j KUBE-NODEPORTS" }] };
  const state = buildState([own, buildFragment("b")], [fixed]);
  t.equal(countRules(state, "nat"), 2 + 4 + 1);
  t.equal(countRules(state, "filter"), 0);
});

t.test("jumps in base chains are not counted", async (t) => {
  const base = { ...buildChain("PREROUTING", "KUBE-SERVICES"), hold: "built-in" } as const;
  t.equal(countRules(buildState([], [base, buildChain("KUBE-MARK-MASQ", "RETURN")]), "nat"), 1);
});

t.test("ways down an index are rules too", async (t) => {
  const fragments = Array.from({ length: 70 }, (_, place) => placedFragment(place));
  const state = buildState(fragments, [INDEXED_CHAIN]);
  t.equal(countRules(state, "nat"), 2 + 70 + 10);
});

t.test("a fragment is written out once for each table, however often it is counted", async (t) => {
  let written = 0;
  const fragment: Fragment = {
    ...buildFragment("a"),
    chains: () => {
      written++;
      return [];
    },
  };
  const state = buildState([fragment]);
  for (const table of ["nat", "nat", "filter", "nat"] as const) countRules(state, table);
  t.equal(written, 2);
});

t.test("one that was written out already is not written out again", async (t) => {
  const fragment: Fragment = {
    ...buildFragment("a"),
    chains: () => {
      throw new RangeError("written out again");
    },
  };
  noteOwnRules(fragment, "nat", 5);
  t.equal(countRules(buildState([fragment]), "nat"), 6);
});
