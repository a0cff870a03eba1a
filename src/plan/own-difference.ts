// What differs in the chains of a table that are of one fragment alone?
import { byName, type Chain, type Chains, type Fragment, type TableName } from "../state/kernel-state.ts";
import { isOurChain } from "../state/ownership.ts";
import { fragmentPairs } from "./fragment-pairs.ts";
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
}

/** `shared`: names of chains that are of no fragment alone. */
export function diffOwn(pair: TablePair, shared: ReadonlySet<string>): OwnDifference {
  const found = pair.actual.tables.get(pair.table) ?? new Map<string, Chain>();
  const isOwn = (name: string) => !shared.has(name) && isOurChain(pair.table, name);
  const present = new Set([...found.keys()].filter(isOwn));
  return present.size + pair.changed.gone.length === 0 ? allNew(pair) : differentOwn(pair, found, present);
}

/** So it is where a node starts: it must not wait for the names of all chains until it serves the first. */
function allNew({ table, changed }: TablePair): OwnDifference {
  const any = changed.come.some((fragment) => fragment.chains(table).length > 0);
  return {
    own: any ? changed.come.map((fragment) => ({ fragment, chains: "all", edits: NO_EDITS, size: fragment.size })) : [],
    stale: [],
  };
}

/**
 * Fragment by fragment, each beside the one of its key before: what is written out to be compared is let go of before
 * the next one's turn, so that thousands which change at once take no more memory than one.
 */
function differentOwn({ table, actual, changed }: TablePair, found: Chains, present: Set<string>): OwnDifference {
  const wanted = new Set<string>();
  const own: FragmentWrite[] = [];
  for (const { before, after } of fragmentPairs(changed)) {
    const old = byName(before?.chains(table) ?? []);
    const chains = after?.chains(table) ?? [];
    for (const name of old.keys()) present.add(name);
    for (const { name } of chains) wanted.add(name);
    const differ = chains.filter((chain) => isToBeWritten(chain, old.get(chain.name) ?? found.get(chain.name)));
    if (!after || differ.length === 0) continue;
    // What was found differs for reasons unknown, and is rare: it is written whole.
    const edits = actual.observed ? NO_EDITS : editsOf(table, differ, old);
    const whole = differ.filter(({ name }) => !edits.has(name));
    own.push({ fragment: after, chains: whole.map(({ name }) => name), edits, size: sizeOf(after, whole, edits) });
  }
  return { own, stale: [...present].filter((name) => !wanted.has(name)).sort() };
}

function editsOf(table: TableName, chains: readonly Chain[], before: Chains): FragmentWrite["edits"] {
  return new Map(
    chains.flatMap((chain) => {
      const lines = replacements(table, chain, before.get(chain.name));
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
