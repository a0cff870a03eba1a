// What does a state hold when its fragments are put in their places?
import type { Chain, Chains, Fragment, KernelState, Rule, TableName } from "./kernel-state.ts";

/** The whole of one table: fixed chains with every fragment's share between their rules, and the fragments' own chains. */
export function wholeTable({ tables, fragments }: KernelState, table: TableName): Chains {
  const chains = new Map<string, Chain>();
  for (const chain of tables.get(table)?.values() ?? []) chains.set(chain.name, withShares(chain, table, fragments));
  for (const fragment of fragments) {
    for (const chain of fragment.tables.get(table)?.chains ?? []) chains.set(chain.name, chain);
  }
  return chains;
}

function withShares(chain: Chain, table: TableName, fragments: readonly Fragment[]): Chain {
  if (chain.hold !== "ours") return chain;
  const rules: Rule[] = [...chain.rules];
  for (const fragment of fragments) {
    const share = fragment.tables.get(table)?.shares.get(chain.name);
    if (share) for (const rule of share) rules.push(rule);
  }
  for (const rule of chain.last ?? []) rules.push(rule);
  return { name: chain.name, hold: chain.hold, rules };
}
