// How is a chain that all Services share brought up to date without writing it whole?
import type { Fragment, KernelState, Rule, TableName } from "../state/kernel-state.ts";
import type { ChangedFragments } from "./changed-fragments.ts";

/** A chain of one table that fragments have shares in. */
export interface SharedChain {
  readonly table: TableName;
  readonly name: string;
}

/**
 * Lines that take out the shares that changed and put the new ones in, at their places in the order of the fragments.
 * What goes is named by what it says. Places are only right while the chain is as the fragments before say it is.
 */
export function shareEdits(
  chain: SharedChain,
  wanted: KernelState,
  { come, gone }: ChangedFragments,
): readonly string[] {
  const before = new Map(gone.map((fragment) => [fragment.key, linesOf(fragment, chain)]));
  const after = new Map(come.map((fragment) => [fragment.key, linesOf(fragment, chain)]));
  for (const [key, lines] of after) {
    if (lines.join("\n") !== (before.get(key) ?? []).join("\n")) continue;
    before.delete(key);
    after.delete(key);
  }
  const out = [...before.values()].flat().map((line) => `-D${line.slice(2)}`);
  return [...out, ...insertions(chain, wanted, after)];
}

/** From the top down: what stands above a place is complete when its turn comes. */
function insertions(
  chain: SharedChain,
  wanted: KernelState,
  shares: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const edits: string[] = [];
  let left = [...shares.values()].filter((lines) => lines.length > 0).length;
  let place = 1 + (wanted.tables.get(chain.table)?.get(chain.name)?.rules.length ?? 0);
  for (const fragment of wanted.fragments) {
    if (left === 0) break;
    const lines = shares.get(fragment.key);
    if (!lines) {
      place += shareSize(fragment, chain);
      continue;
    }
    if (lines.length > 0) left--;
    for (const line of lines) edits.push(`-I ${chain.name} ${place++}${line.slice(`-A ${chain.name}`.length)}`);
  }
  return edits;
}

function linesOf(fragment: Fragment, { table, name }: SharedChain): readonly string[] {
  return (fragment.shares(table).get(name) ?? []).map(({ line }: Rule) => line);
}

const sizes = new WeakMap<Fragment, Map<string, number>>();

/** How many rules a fragment has in the chain; worked out once for each fragment. */
function shareSize(fragment: Fragment, { table, name }: SharedChain): number {
  const known = sizes.get(fragment) ?? new Map<string, number>();
  sizes.set(fragment, known);
  const place = `${table} ${name}`;
  const size = known.get(place) ?? fragment.shares(table).get(name)?.length ?? 0;
  known.set(place, size);
  return size;
}
