// Do single rules, taken out and put in, make of a shared chain what writing it whole would?
import t from "tap";
import { compareTexts } from "../../src/api/service-name.ts";
import { changesBetween, editList, pagedList } from "../../src/paged-list.ts";
import { shareEdits } from "../../src/plan/share-edits.ts";
import type { Fragment, KernelState } from "../../src/state/kernel-state.ts";
import { buildChain, buildFragment, buildState } from "../support/fragments.ts";

const CHAIN = { table: "nat", name: "KUBE-SERVICES" } as const;

function editsOf(wanted: KernelState, actual: readonly Fragment[]): readonly string[] {
  return shareEdits(CHAIN, wanted, changesBetween(wanted.fragments, pagedList(actual)));
}

const [a, b, c] = [buildFragment("a"), buildFragment("b", ["b1", "b2"]), buildFragment("c")];
const none = buildFragment("b", []);
const same = buildFragment("b", ["b1", "b2"]);

const CASES = [
  { name: "nothing", wanted: [a, b], actual: [a, b], edits: [] },
  { name: "one at the head", wanted: [a, b], actual: [b], edits: ["-I KUBE-SERVICES 1 -j a"] },
  {
    name: "two rules in the midst",
    wanted: [a, b, c],
    actual: [a, c],
    edits: ["-I KUBE-SERVICES 2 -j b1", "-I KUBE-SERVICES 3 -j b2"],
  },
  { name: "behind one of two rules", wanted: [b, c], actual: [b], edits: ["-I KUBE-SERVICES 3 -j c"] },
  { name: "behind one that has no rule", wanted: [none, c], actual: [none], edits: ["-I KUBE-SERVICES 1 -j c"] },
  { name: "one goes", wanted: [a, c], actual: [a, b, c], edits: ["-D KUBE-SERVICES -j b1", "-D KUBE-SERVICES -j b2"] },
  { name: "another fragment with the same share", wanted: [a, same, c], actual: [a, b, c], edits: [] },
  {
    name: "behind another fragment with the same share",
    wanted: [same, c],
    actual: [b],
    edits: ["-I KUBE-SERVICES 3 -j c"],
  },
  {
    name: "a share that is lost",
    wanted: [a, none],
    actual: [a, b],
    edits: ["-D KUBE-SERVICES -j b1", "-D KUBE-SERVICES -j b2"],
  },
  { name: "one that comes without a share", wanted: [a, none, c], actual: [a, c], edits: [] },
  {
    name: "one for another",
    wanted: [b],
    actual: [a],
    edits: ["-D KUBE-SERVICES -j a", "-I KUBE-SERVICES 1 -j b1", "-I KUBE-SERVICES 2 -j b2"],
  },
];

for (const { name, wanted, actual, edits } of CASES) {
  t.test(name, async (t) => t.strictSame(editsOf(buildState(wanted), actual), edits));
}

t.test("fixed rules stand in front", async (t) => {
  t.strictSame(editsOf(buildState([a], [buildChain("KUBE-SERVICES", "FIRST")]), []), ["-I KUBE-SERVICES 2 -j a"]);
});

t.test("a chain that is not there has none in front", async (t) => {
  t.strictSame(editsOf(buildState([a], []), []), ["-I KUBE-SERVICES 1 -j a"]);
  const filter = { table: "filter", name: "KUBE-SERVICES" } as const;
  const wanted = buildState([a]);
  t.strictSame(
    shareEdits(filter, wanted, changesBetween(wanted.fragments, pagedList())),
    [],
    "nor shares in another table",
  );
});

t.test("behind hundreds that stay", async (t) => {
  const many = Array.from({ length: 300 }, (_, index) =>
    buildFragment(`a/${index + 100}`, index % 2 === 0 ? ["x", "y"] : []),
  );
  const before = buildState(many);
  const fragments = editList(before.fragments, { gone: [], come: [c] }, (one, other) =>
    compareTexts(one.key, other.key),
  );
  const edits = shareEdits(CHAIN, { ...before, fragments }, changesBetween(fragments, before.fragments));
  t.strictSame(edits, ["-I KUBE-SERVICES 301 -j c"]);
});
