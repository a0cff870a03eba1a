// How many rules of ours does a state have?
import type { Chain, Fragment, KernelState, Rule, TableName } from "./kernel-state.ts";

/** A fragment is written out only once to be counted. */
const COUNTED = new WeakMap<Fragment, Map<TableName, number>>();

/** Rules of a wanted state in one table, jumps from built-in chains among them. */
export function countRules({ tables, fragments }: KernelState, table: TableName): number {
  let count = countChains(tables.get(table)?.values() ?? []);
  for (const fragment of fragments) count += countFragment(fragment, table);
  return count;
}

function countFragment(fragment: Fragment, table: TableName): number {
  const known = COUNTED.get(fragment) ?? new Map<TableName, number>();
  COUNTED.set(fragment, known);
  const count = known.get(table) ?? countChains(fragment.chains(table)) + countAll(fragment.shares(table).values());
  known.set(table, count);
  return count;
}

function countChains(chains: Iterable<Chain>): number {
  let count = 0;
  for (const { rules, last } of chains) count += rules.length + (last?.length ?? 0);
  return count;
}

function countAll(lists: Iterable<readonly Rule[]>): number {
  let count = 0;
  for (const rules of lists) count += rules.length;
  return count;
}
