// What does a state hold when its fragments are put in their places?
import type { Chain, Chains, KernelState, Rule, TableName } from "./kernel-state.ts";
import { sharesOf } from "./shares.ts";

/** The chains of a table that do not belong to one fragment alone, with every fragment's share in its place. */
export function sharedChains({ tables, fragments }: KernelState, table: TableName): Chains {
  const chains = new Map<string, Chain>(tables.get(table));
  const filled = new Map<string, Rule[]>();
  for (const { name, hold, rules } of chains.values()) if (hold === "ours") filled.set(name, [...rules]);
  for (const page of fragments.pages) {
    for (const [name, rules] of sharesOf(page, table)) filled.get(name)?.push(...rules);
  }
  for (const [name, rules] of filled) {
    rules.push(...(chains.get(name)?.last ?? []));
    chains.set(name, { name, hold: "ours", rules });
  }
  return chains;
}

/** The whole of one table. */
export function wholeTable(state: KernelState, table: TableName): Chains {
  const chains = new Map(sharedChains(state, table));
  for (const fragment of state.fragments) for (const chain of fragment.chains(table)) chains.set(chain.name, chain);
  return chains;
}
