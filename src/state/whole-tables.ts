// What does a state hold when its fragments are put in their places?
import type { Chain, Chains, KernelState, Rule, TableName } from "./kernel-state.ts";

/** The whole of one table: fixed chains with every fragment's share between their rules, and the fragments' own chains. */
export function wholeTable({ tables, fragments }: KernelState, table: TableName): Chains {
  const chains = new Map<string, Chain>(tables.get(table));
  const shared = new Map<string, Rule[]>();
  for (const { name, hold, rules } of chains.values()) if (hold === "ours") shared.set(name, [...rules]);
  for (const fragment of fragments) {
    const part = fragment.part(table);
    for (const chain of part.chains) chains.set(chain.name, chain);
    for (const [name, rules] of part.shares) shared.get(name)?.push(...rules);
  }
  for (const [name, rules] of shared) {
    rules.push(...(chains.get(name)?.last ?? []));
    chains.set(name, { name, hold: "ours", rules });
  }
  return chains;
}
