// What does a state hold when its fragments are put in their places?
import { indexChains } from "./index-chains.ts";
import { type IndexedChain, indexTree, isIndexed, pruneTree } from "./index-tree.ts";
import type { Chain, Chains, Fragment, KernelState, Rule, TableName } from "./kernel-state.ts";
import { countShares, sharesOf } from "./shares.ts";

/** The chains of a table that do not belong to one fragment alone, with every fragment's share in its place. */
export function sharedChains(state: KernelState, table: TableName): Chains {
  const chains = new Map<string, Chain>(state.tables.get(table));
  const indexed = [...chains.values()].filter(isIndexed).flatMap((chain) => chainsOf(state, table, chain));
  const filled = new Map<string, Rule[]>();
  for (const { name, hold, rules, index } of chains.values()) {
    if (hold === "ours" && !index) filled.set(name, [...rules]);
  }
  for (const page of state.fragments.pages) {
    if (indexed.length > 0 && [...filled.keys()].every((name) => countShares(page, { table, name }) === 0)) continue;
    for (const [name, rules] of sharesOf(page, table)) filled.get(name)?.push(...rules);
  }
  for (const [name, rules] of filled) {
    rules.push(...(chains.get(name)?.last ?? []));
    chains.set(name, { name, hold: "ours", rules });
  }
  for (const chain of indexed) chains.set(chain.name, chain);
  return chains;
}

function chainsOf({ fragments }: KernelState, table: TableName, chain: IndexedChain): readonly Chain[] {
  const { among } = chain.index;
  const whole = indexTree(table, chain, among ?? fragments);
  const { root, below } = indexChains(chain, among ? pruneTree(whole, keysOf(fragments)) : whole);
  return [root, ...below];
}

function keysOf(fragments: Iterable<Fragment>): ReadonlySet<string> {
  return new Set([...fragments].map(({ key }) => key));
}

/** The state with every share in the shared chain itself, one after the other. */
export function withoutIndexes(state: KernelState, table: TableName): KernelState {
  const plain = [...(state.tables.get(table) ?? [])].map(([name, { index, ...chain }]) => [name, chain] as const);
  return { ...state, tables: new Map([...state.tables, [table, new Map(plain)]]) };
}

/** The whole of one table. */
export function wholeTable(state: KernelState, table: TableName): Chains {
  const chains = new Map(sharedChains(state, table));
  for (const fragment of state.fragments) for (const chain of fragment.chains(table)) chains.set(chain.name, chain);
  return chains;
}
