// Compares the chains of a table that all Services share: fixed rules, and the entries of each Service in them.
import { type IndexDifference, indexDifference, indexRoot } from "../state/index-chains.ts";
import { type IndexedChain, indexTree, indexTreeAfter, isIndexed } from "../state/index-tree.ts";
import type { Chain, Chains, Rule } from "../state/kernel-state.ts";
import { sameLines, tailOf } from "../state/rule.ts";
import { sharedChains, withoutIndexes } from "../state/whole-tables.ts";
import { editsBetween } from "./edits.ts";
import { shareChanges } from "./share-changes.ts";
import { shareEdits } from "./share-edits.ts";
import { isToBeWritten, type TablePair } from "./table-pair.ts";

/** A chain that is written whole, or, where `edits` are given, by these lines alone. */
export interface WrittenChain extends Chain {
  readonly edits?: readonly string[];
}

export interface SharedDifference {
  /** Fixed chains, and shared ones with every share, that differ. */
  readonly whole: readonly WrittenChain[];
  /** Chains of the indexes of shared ones, to be written whole; each behind those that it leads to. */
  readonly index: readonly Chain[];
  /** Single rules taken out of shared chains and put into them. */
  readonly edits: readonly string[];
  /** Chains of indexes that go. */
  readonly remove: readonly string[];
  /** Of all these chains, as far as they may be there now and are wanted. */
  readonly names: ReadonlySet<string>;
}

/** About so many single rules cost as much as the whole chain: most of either is reading the chain. */
const MOST_EDITS = 32;

export function diffShared(pair: TablePair): SharedDifference {
  return pair.actual.observed ? diffFound(pair) : diffHeld(pair);
}

/**
 * Against what was observed, everything is compared. A long chain of which few rules differ is edited in place: entries of
 * Services that did not change are not sent again, which matters most for those that the kernel would reject now.
 */
function diffFound({ table, wanted, actual }: TablePair): SharedDifference {
  const shared = sharedChains(wanted, table);
  const fixed = wanted.tables.get(table);
  const differ = differing(shared, actual.tables.get(table));
  const whole = differ
    .filter(({ name }) => fixed?.has(name))
    .map((chain) => withEdits(chain, actual.tables.get(table)?.get(chain.name)));
  const index = differ.filter(({ name }) => !fixed?.has(name));
  return { whole, index, edits: [], remove: [], names: new Set(shared.keys()) };
}

/** Against what was applied, shares alone are edited; a fixed rule that differs, or many shares, mean the whole chain. */
function diffHeld(pair: TablePair): SharedDifference {
  const { table, wanted, actual } = pair;
  const fixed = wanted.tables.get(table) ?? new Map<string, Chain>();
  const changed = shareChanges(pair.changed, table);
  const edits = new Map<string, readonly string[]>();
  const rewrite = new Set<string>();
  const indexed: IndexedDifference[] = [];
  for (const chain of fixed.values()) {
    if (chain.hold !== "ours") continue;
    const known = actual.tables.get(table)?.get(chain.name);
    if (isIndexed(chain)) {
      indexed.push(diffIndex({ ...pair, changed }, chain, known));
      continue;
    }
    const lines = shareEdits({ table, name: chain.name }, wanted, changed);
    if (!known || !sameFixed(chain, known) || lines.length > MOST_EDITS) rewrite.add(chain.name);
    else edits.set(chain.name, lines);
  }
  const missing = [...fixed.values()].filter(
    ({ hold, name }) => hold === "ensured" && !actual.tables.get(table)?.has(name),
  );
  const shared = rewrite.size === 0 ? new Map<string, Chain>() : sharedChains(withoutIndexes(wanted, table), table);
  const whole = [...shared.values()].filter(({ name }) => rewrite.has(name));
  return {
    whole: [...whole, ...missing, ...indexed.flatMap(({ root }) => root)],
    index: indexed.flatMap(({ write }) => write),
    edits: [...edits.values()].flat(),
    remove: indexed.flatMap(({ remove }) => remove),
    names: new Set(fixed.keys()),
  };
}

interface IndexedDifference extends IndexDifference {
  /** The shared chain itself, where it differs. */
  readonly root: readonly Chain[];
}

function diffIndex(
  { table, wanted, actual, changed }: TablePair,
  chain: IndexedChain,
  known?: Chain,
): IndexedDifference {
  const change = { before: actual.fragments, now: wanted.fragments, changed };
  const before = indexTree(table, chain, actual.fragments);
  const now = indexTreeAfter(table, chain, change);
  const [root, old] = [indexRoot(chain, now), indexRoot(chain, before)];
  const same = known && sameFixed(chain, known) && sameLines(root.rules, old.rules);
  return { root: same ? [] : [root], ...indexDifference(chain, { before, now }) };
}

function withEdits(chain: Chain, found: Chain | undefined): WrittenChain {
  const { name, rules } = chain;
  if (!found || Math.min(rules.length, found.rules.length) <= 2 * MOST_EDITS) return chain;
  const texts = (some: readonly Rule[]) => some.map(({ line }) => ({ text: line }));
  const out: string[] = [];
  const into: string[] = [];
  let place = 0;
  for (const { kind, text } of editsBetween(texts(found.rules), texts(rules))) {
    if (kind === "goes") out.push(`-D${text.slice(2)}`);
    else place++;
    // From the top down: what stands above a place is complete when its turn comes.
    if (kind === "comes") into.push(`-I ${name} ${place}${tailOf(text)}`);
  }
  return out.length + into.length > MOST_EDITS ? chain : { ...chain, edits: [...out, ...into] };
}

function differing(wanted: Chains, actual: Chains | undefined): readonly Chain[] {
  return [...wanted.values()].filter((chain) => isToBeWritten(chain, actual?.get(chain.name)));
}

function sameFixed(a: Chain, b: Chain): boolean {
  return a.hold === b.hold && sameLines(a.rules, b.rules) && sameLines(a.last ?? [], b.last ?? []);
}
