// What do fragments put into the chains that all share, and how much of it is there?
import type { Page } from "../paged-list.ts";
import type { Fragment, Rule, TableName } from "./kernel-state.ts";

/** A chain of one table that fragments have shares in. */
export interface SharedChain {
  readonly table: TableName;
  readonly name: string;
}

/** Rules by chain, by table: a page is written out only once to be counted. */
const COUNTED = new WeakMap<Page<Fragment>, Map<TableName, ReadonlyMap<string, number>>>();

/** All rules that the fragments of a page have in shared chains, by chain, in order. Written out anew at each call. */
export function sharesOf(page: Page<Fragment>, table: TableName): ReadonlyMap<string, readonly Rule[]> {
  const shares = new Map<string, Rule[]>();
  for (const fragment of page) {
    for (const [name, rules] of fragment.shares(table)) {
      const gathered = shares.get(name);
      if (gathered) gathered.push(...rules);
      else shares.set(name, [...rules]);
    }
  }
  const counted = COUNTED.get(page) ?? new Map<TableName, ReadonlyMap<string, number>>();
  COUNTED.set(page, counted.set(table, new Map([...shares].map(([name, { length }]) => [name, length]))));
  return shares;
}

/** How many rules the fragments of a page have in a shared chain. */
export function countShares(page: Page<Fragment>, { table, name }: SharedChain): number {
  const known = COUNTED.get(page)?.get(table);
  return known ? (known.get(name) ?? 0) : (sharesOf(page, table).get(name)?.length ?? 0);
}

/** The lines of one fragment in a shared chain. */
export function linesOf(fragment: Fragment, { table, name }: SharedChain): readonly string[] {
  return (fragment.shares(table).get(name) ?? []).map(({ line }) => line);
}
