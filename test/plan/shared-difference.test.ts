// What is written of a shared chain with an index, against what was applied and against what was found?
import fc from "fast-check";
import t from "tap";
import { changesBetween } from "../../src/paged-list.ts";
import { diffShared } from "../../src/plan/shared-difference.ts";
import type { Chain, Fragment, KernelState } from "../../src/state/kernel-state.ts";
import { wholeTable } from "../../src/state/whole-tables.ts";
import { buildState } from "../support/fragments.ts";
import { INDEXED_CHAIN, placedFragment } from "../support/indexed-chain.ts";
import { takeSeed } from "../support/seed.ts";

function places(count: number): readonly Fragment[] {
  return Array.from({ length: count }, (_, place) => placedFragment(place));
}

function stateOf(fragments: readonly Fragment[], chain: Chain = INDEXED_CHAIN): KernelState {
  return buildState(fragments, [chain]);
}

/** As a kernel shows it: everything in its place. */
function found(state: KernelState): KernelState {
  return { ...buildState([], [...wholeTable(state, "nat").values()]), observed: true };
}

function difference(wanted: KernelState, actual: KernelState) {
  const changed = changesBetween(wanted.fragments, actual.fragments);
  const { whole, index, edits, remove } = diffShared({ table: "nat", wanted, actual, changed, jumps: new Set() });
  return { whole: whole.map(({ name }) => name), index: index.map(({ name }) => name), edits, remove };
}

const ALL = places(70);
const NOTHING = { whole: [], index: [], edits: [], remove: [] };

const CASES: readonly [
  name: string,
  wanted: KernelState,
  before: KernelState,
  expected: Partial<typeof NOTHING> | object,
][] = [
  ["nothing changes", stateOf(ALL), stateOf(ALL), {}],
  ["a Service goes from a leaf", stateOf(ALL.slice(0, 69)), stateOf(ALL), { index: ["KUBE-IX-001"] }],
  ["several go from a leaf", stateOf(places(9)), stateOf(places(16)), { index: ["KUBE-IX-0001"] }],
  [
    "a handful is left",
    stateOf(places(8)),
    stateOf(places(9)),
    { whole: ["KUBE-SERVICES"], remove: ["KUBE-IX-0000", "KUBE-IX-0001"] },
  ],
  ["a fixed rule differs", stateOf(ALL, { ...INDEXED_CHAIN, last: [] }), stateOf(ALL), { whole: ["KUBE-SERVICES"] }],
];

for (const [name, wanted, before, expected] of CASES) {
  t.test(name, async (t) => {
    t.strictSame(difference(wanted, before), { ...NOTHING, ...expected }, "against what was applied");
  });
}

t.test("where nothing was applied, chains come before those that lead to them", async (t) => {
  const { whole, index } = difference(stateOf(places(9)), buildState([], []));
  t.strictSame(whole, ["KUBE-SERVICES"]);
  t.strictSame(index, ["KUBE-IX-0001", "KUBE-IX-0000"]);
});

t.test("against what was found only what differs is written", async (t) => {
  t.strictSame(difference(stateOf(ALL), found(stateOf(ALL))), NOTHING);
  const { whole, index } = difference(stateOf(ALL.slice(0, 69)), found(stateOf(ALL)));
  t.strictSame([whole, index], [[], ["KUBE-IX-001"]]);
});

/** The rules of a chain after restore lines `-D CHAIN SPEC` and `-I CHAIN PLACE SPEC`. */
function edited(rules: readonly string[], edits: readonly string[]): readonly string[] {
  const lines = [...rules];
  for (const edit of edits) {
    const [, verb, place, spec] = /^-([DI]) KUBE-SERVICES(?: (\d+))?( .*)$/.exec(edit) ?? [];
    const line = `-A KUBE-SERVICES${spec}`;
    if (verb === "I") lines.splice(Number(place) - 1, 0, line);
    else lines.splice(lines.indexOf(line), 1);
  }
  return lines;
}

t.test("a long observed chain is edited in place, whatever was added, removed or moved", async (t) => {
  const seed = takeSeed();
  const lines = (numbers: readonly number[]) => numbers.map((number) => ({ line: `-A KUBE-SERVICES -j T${number}` }));
  const numbers = fc.shuffledSubarray(
    Array.from({ length: 120 }, (_, at) => at),
    { minLength: 80 },
  );
  const changes = fc.array(fc.tuple(fc.nat(99), fc.integer({ min: 200, max: 240 }), fc.boolean()), { maxLength: 10 });
  let inPlace = 0;
  const property = fc.property(numbers, changes, (before, list) => {
    const after = [...before];
    for (const [at, number, remove] of list)
      after.splice(at % after.length, remove ? 1 : 0, ...(remove ? [] : [number]));
    const wanted = [...new Set(after)];
    const chain = (some: readonly number[]): Chain => ({ name: "KUBE-SERVICES", hold: "ours", rules: lines(some) });
    const actual: KernelState = { ...buildState([], [chain(before)]), observed: true };
    const state = buildState([], [chain(wanted)]);
    const changed = changesBetween(state.fragments, actual.fragments);
    const { whole } = diffShared({ table: "nat", wanted: state, actual, changed, jumps: new Set() });
    for (const { edits } of whole) {
      if (!edits) continue;
      inPlace++;
      t.ok(edits.length <= 32);
      const texts = (some: readonly number[]) => lines(some).map(({ line }) => line);
      if (edited(texts(before), edits).join() !== texts(wanted).join()) throw new Error(edits.join("\n"));
    }
  });
  fc.assert(property, { seed, numRuns: 200 });
  t.ok(inPlace > 100, `${inPlace} of 200`);
});
