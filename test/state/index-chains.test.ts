// Which chains is an index made of, and how few of them does a change touch?
import fc from "fast-check";
import t from "tap";
import { changesBetween, pagedList } from "../../src/paged-list.ts";
import { indexChains, indexDifference, indexRoot } from "../../src/state/index-chains.ts";
import { countWays, indexTree, indexTreeAfter, isIndexed, pruneTree } from "../../src/state/index-tree.ts";
import type { Chain, Fragment } from "../../src/state/kernel-state.ts";
import { targetOf } from "../../src/state/rule.ts";
import { buildChain, buildFragment } from "../support/fragments.ts";
import { INDEXED_CHAIN as CHAIN, placedFragment } from "../support/indexed-chain.ts";
import { takeSeed } from "../support/seed.ts";

const seed = takeSeed();

function chainsOf(fragments: readonly Fragment[]) {
  return indexChains(CHAIN, indexTree("nat", CHAIN, pagedList(fragments)));
}

/** The tree and the difference after a change of one list into another. */
function change(before: readonly Fragment[], now: readonly Fragment[]) {
  const [old, fresh] = [pagedList(before), pagedList(now)];
  const changed = changesBetween(fresh, old);
  const lists = { before: old, now: fresh, changed };
  const trees = { before: indexTree("nat", CHAIN, lists.before), now: indexTreeAfter("nat", CHAIN, lists) };
  return { trees, difference: indexDifference(CHAIN, trees) };
}

function printed(chains: Iterable<Chain>): readonly string[] {
  return [...chains].map(({ name, rules }) => [name, ...rules.map(({ line }) => line)].join("\n")).sort();
}

function places(count: number): readonly Fragment[] {
  return Array.from({ length: count }, (_, place) => placedFragment(place));
}

t.test("a few shares stand in the shared chain itself, between what stands there for all", async (t) => {
  const { root, below } = chainsOf(places(2));
  t.strictSame(
    root.rules.map(({ line }) => line),
    ["FIRST", "T00000", "T00001", "LAST"].map((target) => `-A KUBE-SERVICES -j ${target}`),
  );
  t.strictSame(below, []);
});

t.test("more than a handful stand in chains below, each of which says where it is from", async (t) => {
  const { root, below } = chainsOf(places(70));
  t.strictSame(
    root.rules.map(({ line }) => line),
    ["j FIRST", "j KUBE-IX-000", "j KUBE-IX-001", "j LAST"].map((jump) => `-A KUBE-SERVICES -${jump}`),
  );
  t.strictSame(
    below.find(({ name }) => name === "KUBE-IX-001")?.rules.map(({ line }) => line),
    [64, 65, 66, 67, 68, 69].map((key) => `-A KUBE-IX-001 -j T${key.toString(8).padStart(5, "0")}`),
  );
  t.strictSame(
    below.find(({ name }) => name === "KUBE-IX-000")?.rules.map(({ line }) => line),
    [..."01234567"].map((digit) => `-A KUBE-IX-000 -g KUBE-IX-000${digit}`),
  );
});

t.test("each chain comes behind those that it leads to", async (t) => {
  const known = new Set<string>();
  for (const { name, rules } of chainsOf(places(600)).below) {
    for (const { line } of rules) {
      const target = targetOf(line) ?? "";
      if (target.startsWith("KUBE-IX-") && !known.has(target)) t.fail(`${name} leads to ${target}, which comes later`);
    }
    known.add(name);
  }
  t.ok(known.size > 75);
});

t.test("where several are for one place they keep the order of the list", async (t) => {
  const same = Array.from({ length: 12 }, (_, place) => placedFragment(place, 7));
  const { root } = chainsOf(same.toReversed());
  t.strictSame(
    indexTree("nat", CHAIN, pagedList(same.toReversed())).kind === "leaf" && root.rules.length,
    14,
    "in one chain, however many",
  );
  const two = buildFragment("ns/s:a/TCP", ["T00001", "X00001"]);
  const before = buildFragment("ns/s/TCP", ["Y00001"]);
  const other = buildFragment("ns/s-b:a/TCP", ["Z00001"]);
  t.strictSame(
    chainsOf([other, two, before]).root.rules.map(({ line }) => targetOf(line)),
    ["FIRST", "Y00001", "T00001", "X00001", "Z00001", "LAST"],
  );
});

t.test("one Service among thousands touches one chain or two", async (t) => {
  const all = places(5000).map((_, place) => placedFragment(place, place * 6));
  const [first, ...others] = all;
  if (!first) throw new Error("none");
  const anew = placedFragment(0, 0);
  const cases: readonly [name: string, now: readonly Fragment[], write: number, remove: number][] = [
    ["the same text in a new fragment", [anew, ...others], 0, 0],
    ["one goes", others, 1, 0],
    ["one comes", [...all, placedFragment(9000, 3)], 1, 0],
    [
      "one comes that is far from all others, so that those stand a level deeper",
      [...all, placedFragment(9001, 0o77777)],
      2,
      0,
    ],
    ["nothing changes", all, 0, 0],
  ];
  for (const [name, now, write, remove] of cases) {
    const { difference } = change(all, now);
    t.equal(difference.write.length, write, `${name}: written`);
    t.equal(difference.remove.length, remove, `${name}: removed`);
  }
});

t.test("a difference makes of the chains before those that are wanted", async (t) => {
  const lists = fc.array(fc.tuple(fc.nat(200), fc.integer({ min: 0, max: 0o7777 })), { maxLength: 80 }).map((pairs) => {
    const found = new Map(pairs.map(([place, key]) => [place, key]));
    return [...found].sort(([a], [b]) => a - b).map(([place, key]) => placedFragment(place, key));
  });
  const property = fc.property(lists, lists, fc.infiniteStream(fc.boolean()), (before, more, coins) => {
    const kept = before.filter(() => coins.next().value);
    const names = new Set(kept.map(({ key }) => key));
    const now = [...kept, ...more.filter(({ key }) => !names.has(key))];
    const { trees, difference } = change(before, now);
    const chains = new Map(indexChains(CHAIN, trees.before).below.map((chain) => [chain.name, chain]));
    for (const name of difference.remove) if (!chains.delete(name)) throw new Error(`${name} was not there`);
    for (const chain of difference.write) chains.set(chain.name, chain);
    const wanted = chainsOf(now);
    if (printed(chains.values()).join() !== printed(wanted.below).join())
      throw new Error(printed(chains.values()).join("\n"));
    if (printed([indexRoot(CHAIN, trees.now)]).join() !== printed([wanted.root]).join()) throw new Error("root");
  });
  t.doesNotThrow(() => fc.assert(property, { seed, numRuns: 300 }));
});

t.test("ways are counted, and a list's tree is worked out once", async (t) => {
  const fragments = pagedList(places(70));
  const tree = indexTree("nat", CHAIN, fragments);
  const { root, below } = indexChains(CHAIN, tree);
  const ways = [root, ...below]
    .flatMap(({ rules }) => rules)
    .filter(({ line }) => targetOf(line)?.startsWith("KUBE-IX-"));
  t.equal(countWays(tree), 10);
  t.equal(countWays(tree), 10, "again");
  t.equal(ways.length, 10);
  t.equal(indexTree("nat", CHAIN, fragments), tree);
  t.not(indexTree("nat", { ...CHAIN, name: "KUBE-OTHER" }, fragments), tree, "another chain has another");
  const held = { before: fragments, now: fragments, changed: changesBetween(fragments, fragments) };
  t.equal(indexTreeAfter("nat", CHAIN, held), tree);
});

t.test("pruned, only the way to some of them is left", async (t) => {
  const all = places(70);
  const tree = indexTree("nat", CHAIN, pagedList(all));
  const { root, below } = indexChains(CHAIN, pruneTree(tree, new Set(all.slice(65, 67).map(({ key }) => key))));
  t.strictSame(
    [root, ...below].flatMap(({ rules }) => rules.map(({ line }) => line)),
    [
      "-A KUBE-SERVICES -j FIRST",
      "-A KUBE-SERVICES -j KUBE-IX-001",
      "-A KUBE-SERVICES -j LAST",
      "-A KUBE-IX-001 -j T00101",
      "-A KUBE-IX-001 -j T00102",
    ],
  );
});

t.test("a chain has an index or none", async (t) => {
  t.ok(isIndexed(CHAIN));
  t.notOk(isIndexed(buildChain("KUBE-SERVICES")));
});
