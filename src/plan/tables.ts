// Which chains of one table differ?
import type { Chain, Chains, Fragment, TableName } from "../state/kernel-state.ts";
import { isOurChain } from "../state/ownership.ts";
import { targetOf } from "../state/rule.ts";
import type { KeptChain } from "./plan.ts";
import { replacements } from "./replacements.ts";
import { diffShared, type SharedDifference } from "./shared-difference.ts";
import { isToBeWritten, type TablePair } from "./table-pair.ts";

/** Those chains of a fragment that have to be written. */
export interface FragmentWrite {
  readonly fragment: Fragment;
  /** Written whole, by name. `all`: none of them is there, which is known without writing any. */
  readonly chains: readonly string[] | "all";
  /** By name, lines that replace some of the rules in their places. */
  readonly edits: ReadonlyMap<string, readonly string[]>;
  /** About how many lines a restore would take as long for. */
  readonly size: number;
}

/** All that is different in one table. */
export interface TableDifference extends Pick<SharedDifference, "whole" | "index" | "edits"> {
  readonly table: TableName;
  /** Those of `whole` that are not there yet. */
  readonly fresh: ReadonlySet<string>;
  readonly own: readonly FragmentWrite[];
  /** Jumps taken out of built-in chains, and put in at the head, as lines. */
  readonly jumpsOut: readonly string[];
  readonly jumpsIn: readonly string[];
  /** Chains that are only emptied, because of `kept`. */
  readonly emptied: readonly string[];
  readonly remove: readonly string[];
  readonly kept: readonly KeptChain[];
}

export function diffTable(pair: TablePair): TableDifference {
  const before = chainsOf(pair.changed.gone, pair.table);
  const actualOf = (name: string) => before.get(name) ?? pair.actual.tables.get(pair.table)?.get(name);
  const shared = diffShared(pair);
  const present = presentChains(pair, before, shared.names);
  const { own, stale } = present.length === 0 ? allNew(pair) : differentOwn(pair, present, actualOf);
  const kept = keptAlive(pair, new Set(stale));
  const keptNames = new Set(kept.map(({ chain }) => chain));
  const { whole, index, edits } = shared;
  const known = pair.actual.tables.get(pair.table);
  return {
    table: pair.table,
    ...{ whole, index, edits },
    fresh: new Set(whole.flatMap(({ name }) => (known?.has(name) ? [] : [name]))),
    own,
    jumpsOut: unwantedJumps(pair),
    jumpsIn: missingJumps(pair),
    emptied: [...keptNames].filter((name) => actualOf(name)?.rules.length !== 0),
    remove: [...stale, ...shared.remove].filter((name) => !keptNames.has(name)).sort(),
    kept,
  };
}

/** Chains that are there and belong to a fragment, or did. */
function presentChains({ table, actual }: TablePair, before: Chains, shared: ReadonlySet<string>): readonly string[] {
  const found = [...(actual.tables.get(table)?.keys() ?? [])].filter((name) => isOurChain(table, name));
  return [...new Set([...found, ...before.keys()])].filter((name) => !shared.has(name)).sort();
}

interface OwnDifference {
  readonly own: readonly FragmentWrite[];
  /** Sorted. */
  readonly stale: readonly string[];
}

/** So it is where a node starts: it must not wait for the names of all chains until it serves the first. */
function allNew({ table, changed }: TablePair): OwnDifference {
  const any = changed.come.some((fragment) => fragment.chains(table).length > 0);
  return {
    own: any
      ? changed.come.map((fragment) => ({ fragment, chains: "all", edits: new Map(), size: fragment.size }))
      : [],
    stale: [],
  };
}

function differentOwn(
  { table, actual, changed }: TablePair,
  present: readonly string[],
  actualOf: (name: string) => Chain | undefined,
): OwnDifference {
  const names = new Set<string>();
  const own: FragmentWrite[] = [];
  for (const fragment of changed.come) {
    const chains = fragment.chains(table);
    for (const { name } of chains) names.add(name);
    const differ = chains.filter((chain) => isToBeWritten(chain, actualOf(chain.name)));
    if (differ.length === 0) continue;
    // What was found may have been changed again by others, whose rules would then be in the place.
    const edits = actual.observed ? new Map() : editsOf(table, differ, actualOf);
    const whole = differ.filter(({ name }) => !edits.has(name));
    own.push({ fragment, chains: whole.map(({ name }) => name), edits, size: sizeOf(fragment, whole, edits) });
  }
  return { own, stale: present.filter((name) => !names.has(name)) };
}

function editsOf(
  table: TableName,
  chains: readonly Chain[],
  actualOf: (name: string) => Chain | undefined,
): ReadonlyMap<string, readonly string[]> {
  return new Map(
    chains.flatMap((chain) => {
      const lines = replacements(table, chain, actualOf(chain.name));
      return lines ? [[chain.name, lines] as const] : [];
    }),
  );
}

/** A chain that is written whole names all those that it leads to, each of which is searched for. */
function sizeOf(fragment: Fragment, whole: readonly Chain[], edits: FragmentWrite["edits"]): number {
  if (edits.size === 0) return fragment.size;
  const lines = [...edits.values()].flat().length + whole.reduce((sum, { rules }) => sum + 1 + rules.length, 0);
  return Math.min(fragment.size, lines);
}

/** Is there anything to do? */
export function isDifferent({ whole, index, edits, own, jumpsOut, jumpsIn, ...rest }: TableDifference): boolean {
  return [whole, index, edits, own, jumpsOut, jumpsIn, rest.emptied, rest.remove].some((list) => list.length > 0);
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
