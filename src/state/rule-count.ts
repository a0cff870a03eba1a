// Counts the rules of a state: those in chains of ours, as `sync_proxy_rules_iptables_total` does.
import type { Page } from "../paged-list.ts";
import { countWays, indexTree, isIndexed } from "./index-tree.ts";
import { byTable, type Chain, type Fragment, type KernelState, type TableName } from "./kernel-state.ts";
import { countAllShares } from "./shares.ts";

/** Rules in a fragment's own chains: it is written out only once to be counted. */
const OWN = byTable(() => new WeakMap<Fragment, number>());

const PAGES = byTable(() => new WeakMap<Page<Fragment>, number>());

/** Rules of a desired state in one table. kube-proxy does not count its jumps in base chains (INPUT, PREROUTING …). */
export function countRules({ tables, fragments }: KernelState, table: TableName): number {
  let count = countChains([...(tables.get(table)?.values() ?? [])].filter(({ hold }) => hold !== "built-in"));
  for (const page of fragments.pages) count += countPage(page, table);
  for (const chain of [...(tables.get(table)?.values() ?? [])].filter(isIndexed)) {
    count += countWays(indexTree(table, chain, fragments));
  }
  return count;
}

/** So many rules are in the fragment's own chains: whoever has just written them all need not have them written again. */
export function noteOwnRules(fragment: Fragment, table: TableName, count: number): void {
  OWN[table].set(fragment, count);
}

function countPage(page: Page<Fragment>, table: TableName): number {
  const own = (fragment: Fragment) => countOwn(fragment, table) + countAllShares(fragment, table);
  const count = PAGES[table].get(page) ?? page.reduce((sum, fragment) => sum + own(fragment), 0);
  PAGES[table].set(page, count);
  return count;
}

function countOwn(fragment: Fragment, table: TableName): number {
  const count = OWN[table].get(fragment) ?? countChains(fragment.chains(table));
  noteOwnRules(fragment, table, count);
  return count;
}

function countChains(chains: Iterable<Chain>): number {
  let count = 0;
  for (const { rules, last } of chains) count += rules.length + (last?.length ?? 0);
  return count;
}
