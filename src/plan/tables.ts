// Which chains of one table differ?
import type { ListChanges } from "../paged-list.ts";
import type { Chain, Chains, Fragment, KernelState, TableName } from "../state/kernel-state.ts";
import { isOurChain } from "../state/ownership.ts";
import { targetOf } from "../state/rule.ts";
import { sharedChains } from "../state/whole-tables.ts";
import type { KeptChain } from "./plan.ts";
import { shareEdits } from "./share-edits.ts";

/** One table as it should be and as it is. */
export interface TablePair {
  readonly table: TableName;
  readonly wanted: KernelState;
  /** What was observed, or what was applied and acknowledged. */
  readonly actual: KernelState;
  readonly changed: ListChanges<Fragment>;
  /** Lines of all jumps that are ours to take out of built-in chains. */
  readonly jumps: ReadonlySet<string>;
}

/** Those chains of a fragment that have to be written. */
export interface FragmentWrite {
  readonly fragment: Fragment;
  /** By name. `all`: none of them is there, which is known without writing any. */
  readonly chains: readonly string[] | "all";
}

/** All that is different in one table. */
export interface TableDifference {
  readonly table: TableName;
  /** Chains to be written whole: fixed ones, and shared ones with every share. */
  readonly whole: readonly Chain[];
  /** Those of `whole` that are not there yet. */
  readonly fresh: ReadonlySet<string>;
  /** Single rules taken out of shared chains and put into them. */
  readonly edits: readonly string[];
  readonly own: readonly FragmentWrite[];
  /** Jumps taken out of built-in chains, and put in at the head, as lines. */
  readonly jumpsOut: readonly string[];
  readonly jumpsIn: readonly string[];
  /** Chains that are only emptied, because of `kept`. */
  readonly emptied: readonly string[];
  readonly remove: readonly string[];
  readonly kept: readonly KeptChain[];
}

/** About so many single rules cost as much as the whole chain: most of either is reading the chain. */
const MOST_EDITS = 32;

export function diffTable(pair: TablePair): TableDifference {
  const before = chainsOf(pair.changed.gone, pair.table);
  const actualOf = (name: string) => before.get(name) ?? pair.actual.tables.get(pair.table)?.get(name);
  const present = presentChains(pair, before);
  const { own, stale } = present.length === 0 ? allNew(pair) : differentOwn(pair, present, actualOf);
  const kept = keptAlive(pair, new Set(stale));
  const keptNames = new Set(kept.map(({ chain }) => chain));
  const shared = diffShared(pair);
  const known = pair.actual.tables.get(pair.table);
  return {
    table: pair.table,
    ...shared,
    fresh: new Set(shared.whole.flatMap(({ name }) => (known?.has(name) ? [] : [name]))),
    own,
    jumpsOut: unwantedJumps(pair),
    jumpsIn: missingJumps(pair),
    emptied: [...keptNames].filter((name) => actualOf(name)?.rules.length !== 0),
    remove: stale.filter((name) => !keptNames.has(name)),
    kept,
  };
}

/** Chains that are there and belong to a fragment, or did. */
function presentChains({ table, wanted, actual }: TablePair, before: Chains): readonly string[] {
  const fixed = wanted.tables.get(table);
  const found = [...(actual.tables.get(table)?.keys() ?? [])].filter((name) => isOurChain(table, name));
  return [...new Set([...found, ...before.keys()])].filter((name) => !fixed?.has(name)).sort();
}

interface OwnDifference {
  readonly own: readonly FragmentWrite[];
  /** Sorted. */
  readonly stale: readonly string[];
}

/** So it is where a node starts: it must not wait for the names of all chains until it serves the first. */
function allNew({ table, changed }: TablePair): OwnDifference {
  const any = changed.come.some((fragment) => fragment.chains(table).length > 0);
  return { own: any ? changed.come.map((fragment) => ({ fragment, chains: "all" })) : [], stale: [] };
}

function differentOwn(
  { table, changed }: TablePair,
  present: readonly string[],
  actualOf: (name: string) => Chain | undefined,
): OwnDifference {
  const names = new Set<string>();
  const own: FragmentWrite[] = [];
  for (const fragment of changed.come) {
    const chains = fragment.chains(table);
    for (const { name } of chains) names.add(name);
    const differ = chains.filter((chain) => isToBeWritten(chain, actualOf(chain.name))).map(({ name }) => name);
    if (differ.length > 0) own.push({ fragment, chains: differ });
  }
  return { own, stale: present.filter((name) => !names.has(name)) };
}

/** Is there anything to do? */
export function isDifferent({ whole, edits, own, jumpsOut, jumpsIn, emptied, remove }: TableDifference): boolean {
  return [whole, edits, own, jumpsOut, jumpsIn, emptied, remove].some((list) => list.length > 0);
}

/** Against what was applied, shares alone are edited; a fixed rule that differs, or many shares, mean the whole chain. */
function diffShared(pair: TablePair): Pick<TableDifference, "whole" | "edits"> {
  const { table, wanted, actual } = pair;
  if (actual.observed) return { whole: differing(sharedChains(wanted, table), actual.tables.get(table)), edits: [] };
  const fixed = wanted.tables.get(table) ?? new Map<string, Chain>();
  const edits = new Map<string, readonly string[]>();
  const rewrite = new Set<string>();
  for (const chain of fixed.values()) {
    if (chain.hold !== "ours") continue;
    const lines = shareEdits({ table, name: chain.name }, wanted, pair.changed);
    const known = actual.tables.get(table)?.get(chain.name);
    if (!known || !sameFixed(chain, known) || lines.length > MOST_EDITS) rewrite.add(chain.name);
    else edits.set(chain.name, lines);
  }
  const missing = [...fixed.values()].filter(
    ({ hold, name }) => hold === "ensured" && !actual.tables.get(table)?.has(name),
  );
  const shared = rewrite.size === 0 ? new Map<string, Chain>() : sharedChains(wanted, table);
  const whole = [...shared.values()].filter(({ name }) => rewrite.has(name));
  return { whole: [...whole, ...missing], edits: [...edits.values()].flat() };
}

function differing(wanted: Chains, actual: Chains | undefined): readonly Chain[] {
  return [...wanted.values()].filter((chain) => isToBeWritten(chain, actual?.get(chain.name)));
}

function sameFixed(a: Chain, b: Chain): boolean {
  return a.hold === b.hold && sameLines(a.rules, b.rules) && sameLines(a.last ?? [], b.last ?? []);
}

function isToBeWritten(wanted: Chain, actual: Chain | undefined): boolean {
  if (wanted.hold === "built-in") return false;
  if (!actual) return true;
  return wanted.hold === "ours" && !sameLines(wanted.rules, actual.rules);
}

function sameLines(a: Chain["rules"], b: Chain["rules"]): boolean {
  return a.length === b.length && a.every((rule, index) => rule.line === b[index]?.line);
}

function chainsOf(fragments: readonly Fragment[], table: TableName): ReadonlyMap<string, Chain> {
  return new Map(fragments.flatMap((fragment) => fragment.chains(table).map((chain) => [chain.name, chain] as const)));
}

/** Inserted at the head one by one, from the last to the first, they stand as a fresh node shows them. */
function missingJumps({ table, wanted, actual }: TablePair): readonly string[] {
  return builtIn(wanted.tables.get(table)).flatMap(({ name, rules }) => {
    const present = new Set(
      actual.tables
        .get(table)
        ?.get(name)
        ?.rules.map(({ line }) => line),
    );
    const missing = rules.filter(({ line }) => !present.has(line));
    return missing.toReversed().map(({ line }) => `-I${line.slice(2)}`);
  });
}

/** Deleted by what they say, never by number, so that nobody else's rule can be hit. */
function unwantedJumps({ table, wanted, actual, jumps }: TablePair): readonly string[] {
  return builtIn(actual.tables.get(table)).flatMap(({ name, rules }) => {
    const keep = new Set(
      wanted.tables
        .get(table)
        ?.get(name)
        ?.rules.map(({ line }) => line),
    );
    return rules.filter(({ line }) => jumps.has(line) && !keep.has(line)).map(({ line }) => `-D${line.slice(2)}`);
  });
}

/** Stale chains that a rule leads into which is not ours to take away. Only what was observed can tell of such. */
function keptAlive({ table, wanted, actual, jumps }: TablePair, stale: ReadonlySet<string>): readonly KeptChain[] {
  const kept = new Map<string, KeptChain>();
  const fixed = wanted.tables.get(table);
  for (const chain of actual.tables.get(table)?.values() ?? []) {
    if (stale.has(chain.name) || isOurChain(table, chain.name) || fixed?.get(chain.name)?.hold === "ours") continue;
    for (const { line } of chain.rules) {
      const target = targetOf(line);
      if (target === undefined || !stale.has(target)) continue;
      if (chain.hold === "built-in" && jumps.has(line)) continue;
      kept.set(target, { table, chain: target, rule: line });
    }
  }
  return [...kept.values()];
}

function builtIn(chains: Chains | undefined): readonly Chain[] {
  return [...(chains?.values() ?? [])].filter((chain) => chain.hold === "built-in");
}
