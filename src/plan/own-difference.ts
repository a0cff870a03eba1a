// What differs in the chains of a table that are of one fragment alone?
import type { Chain, Chains, Fragment, TableName } from "../state/kernel-state.ts";
import { isOurChain } from "../state/ownership.ts";
import { replacements } from "./replacements.ts";
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

const NO_EDITS: FragmentWrite["edits"] = new Map();

export interface OwnDifference {
  readonly own: readonly FragmentWrite[];
  /** Chains that no fragment has any more, sorted. */
  readonly stale: readonly string[];
  /** A chain as it is, by its name. */
  readonly actualOf: (name: string) => Chain | undefined;
}

/** `shared`: names of chains that are of no fragment alone. */
export function diffOwn(pair: TablePair, shared: ReadonlySet<string>): OwnDifference {
  const before = chainsOf(pair.changed.gone, pair.table);
  const actualOf = (name: string) => before.get(name) ?? pair.actual.tables.get(pair.table)?.get(name);
  const present = presentChains(pair, before, shared);
  return { ...(present.length === 0 ? allNew(pair) : differentOwn(pair, present, actualOf)), actualOf };
}

/** Chains that are there and belong to a fragment, or did. */
function presentChains({ table, actual }: TablePair, before: Chains, shared: ReadonlySet<string>): readonly string[] {
  const found = [...(actual.tables.get(table)?.keys() ?? [])].filter((name) => isOurChain(table, name));
  return [...new Set([...found, ...before.keys()])].filter((name) => !shared.has(name)).sort();
}

/** So it is where a node starts: it must not wait for the names of all chains until it serves the first. */
function allNew({ table, changed }: TablePair): Pick<OwnDifference, "own" | "stale"> {
  const any = changed.come.some((fragment) => fragment.chains(table).length > 0);
  return {
    own: any ? changed.come.map((fragment) => ({ fragment, chains: "all", edits: NO_EDITS, size: fragment.size })) : [],
    stale: [],
  };
}

function differentOwn(
  { table, actual, changed }: TablePair,
  present: readonly string[],
  actualOf: (name: string) => Chain | undefined,
): Pick<OwnDifference, "own" | "stale"> {
  const names = new Set<string>();
  const own: FragmentWrite[] = [];
  for (const fragment of changed.come) {
    const chains = fragment.chains(table);
    for (const { name } of chains) names.add(name);
    const differ = chains.filter((chain) => isToBeWritten(chain, actualOf(chain.name)));
    if (differ.length === 0) continue;
    // What was found differs for reasons unknown, and is rare: it is written whole.
    const edits = actual.observed ? NO_EDITS : editsOf(table, differ, actualOf);
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

function chainsOf(fragments: readonly Fragment[], table: TableName): ReadonlyMap<string, Chain> {
  return new Map(fragments.flatMap((fragment) => fragment.chains(table).map((chain) => [chain.name, chain] as const)));
}
