// Which rules of a chain are replaced in their places, and when is it written whole?
import t from "tap";
import { replacements } from "../../src/plan/replacements.ts";
import type { Chain } from "../../src/state/kernel-state.ts";
import { buildChain } from "../support/fragments.ts";

function chainTo(...endpoints: readonly string[]): Chain {
  return buildChain("SVC", ...endpoints.map((name) => `KUBE-SEP-${name}`));
}

const CASES = [
  { name: "one in the midst", before: "a b c", after: "a x c", lines: ["-R SVC 2 -j KUBE-SEP-x"] },
  {
    name: "the first and the last",
    before: "a b c d",
    after: "x b c y",
    lines: ["-R SVC 1 -j KUBE-SEP-x", "-R SVC 4 -j KUBE-SEP-y"],
  },
  {
    name: "two that change places",
    before: "a b c d",
    after: "a c b d",
    lines: ["-R SVC 2 -j KUBE-SEP-c", "-R SVC 3 -j KUBE-SEP-b"],
  },
  { name: "half of them", before: "a b", after: "a x", lines: ["-R SVC 2 -j KUBE-SEP-x"] },
  { name: "more than half of them", before: "a b c", after: "a x y" },
  { name: "one more", before: "a b c", after: "a b c d" },
  { name: "one less", before: "a b c", after: "a b" },
];

for (const { name, before, after, lines } of CASES) {
  t.test(name, async (t) => {
    const [from, to] = [before, after].map((targets) => chainTo(...targets.split(" ")));
    t.strictSame(to && replacements("nat", to, from), lines);
  });
}

t.test("a chain that is not there", async (t) => t.equal(replacements("nat", chainTo("a"), undefined), undefined));

t.test("rules that lead to no chain of ours are not replaced", async (t) => {
  const ours = chainTo("a", "b");
  for (const target of ["DNAT --to-destination 10.0.0.1:80", "CNI-HOSTPORT-DNAT"]) {
    const other = { ...ours, rules: [...ours.rules.slice(0, 1), { line: `-A SVC -j ${target}` }] };
    t.equal(replacements("nat", ours, other), undefined, `instead of ${target}`);
    t.equal(replacements("nat", other, ours), undefined, `by ${target}`);
  }
  t.equal(replacements("filter", ours, chainTo("a", "c")), undefined, "nor chains of another table");
});

t.test("the name of a chain is no part of a rule", async (t) => {
  const chain = (...tails: string[]) => ({
    ...buildChain("S"),
    rules: tails.map((tail) => ({ line: `-A S ${tail}` })),
  });
  const before = chain("-s 10.0.0.1/32 -j KUBE-SEP-S", "-j KUBE-SEP-B");
  const after = chain("-s 10.0.0.2/32 -j KUBE-SEP-S", "-j KUBE-SEP-B");
  t.strictSame(replacements("nat", after, before), ["-R S 1 -s 10.0.0.2/32 -j KUBE-SEP-S"]);
});
