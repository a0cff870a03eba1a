// What do fragments put into the chains that all share, and how much of it is there?
import type { Page } from "../paged-list.ts";
import { byTable, type Fragment, type Rule, type Shares, type TableName } from "./kernel-state.ts";

/** A chain of one table that fragments have shares in. */
export interface SharedChain {
  readonly table: TableName;
  readonly name: string;
}

/** Rules in shared chains of a table, by chain. */
type Counts = ReadonlyMap<string, number>;

/** All rules that the fragments of a page have in shared chains, by chain, in order. Written out anew at each call. */
export function sharesOf(page: Page<Fragment>, table: TableName): Shares {
  const gathered = new Map<string, Rule[]>();
  for (const fragment of page) {
    for (const [name, rules] of sharesOfOne(fragment, table)) {
      const before = gathered.get(name);
      if (before) before.push(...rules);
      else gathered.set(name, [...rules]);
    }
  }
  return gathered;
}

/** The rules that one fragment has in shared chains, by chain. Written out anew at each call, but where there are none. */
export function sharesOfOne(fragment: Fragment, table: TableName): Shares {
  if (COUNTED[table].get(fragment)?.size === 0) return NO_SHARES;
  const shares = fragment.shares(table);
  if (!COUNTED[table].has(fragment)) COUNTED[table].set(fragment, countsOf(shares));
  return shares;
}

const NO_SHARES: Shares = new Map();

/** How many rules the fragments of a page have in a shared chain. Each page and each fragment is counted once. */
export function countShares(page: Page<Fragment>, { table, name }: SharedChain): number {
  const counts = ADDED_UP[table].get(page) ?? addUp(page.map((fragment) => countFragment(fragment, table)));
  ADDED_UP[table].set(page, counts);
  return counts.get(name) ?? 0;
}

/** The rules of one fragment in a shared chain; it writes none where it is known to have none. */
export function rulesIn(fragment: Fragment, { table, name }: SharedChain): readonly Rule[] {
  const counts = COUNTED[table].get(fragment);
  return counts && !counts.has(name) ? [] : (sharesOfOne(fragment, table).get(name) ?? []);
}

/** How many rules a fragment has in a shared chain. It is counted once. */
export function countShare(fragment: Fragment, { table, name }: SharedChain): number {
  return countFragment(fragment, table).get(name) ?? 0;
}

/** How many rules a fragment has in all shared chains of a table. It is counted once. */
export function countAllShares(fragment: Fragment, table: TableName): number {
  return [...countFragment(fragment, table).values()].reduce((sum, count) => sum + count, 0);
}

/** The lines of one fragment in a shared chain. */
export function linesOf(fragment: Fragment, { table, name }: SharedChain): readonly string[] {
  return rulesIn(fragment, { table, name }).map(({ line }) => line);
}

const COUNTED = byTable(() => new WeakMap<Fragment, Counts>());
const ADDED_UP = byTable(() => new WeakMap<Page<Fragment>, Counts>());

function countFragment(fragment: Fragment, table: TableName): Counts {
  return COUNTED[table].get(fragment) ?? countsOf(sharesOfOne(fragment, table));
}

/** By their text: thousands of fragments have the same few counts, and share them. */
const EQUALS = new Map<string, Counts>();

function countsOf(shares: Shares): Counts {
  const entries = [...shares].map(([name, { length }]) => [name, length] as const);
  const text = entries.join();
  const counts = EQUALS.get(text) ?? new Map(entries);
  EQUALS.set(text, counts);
  return counts;
}

function addUp(all: readonly Counts[]): Counts {
  const sums = new Map<string, number>();
  for (const counts of all) for (const [name, count] of counts) sums.set(name, (sums.get(name) ?? 0) + count);
  return sums;
}
