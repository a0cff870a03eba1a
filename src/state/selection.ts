// What of a state belongs to some of its fragments only?
import { pagedList } from "../paged-list.ts";
import type { Chain, Chains, Fragment, KernelState, TableName } from "./kernel-state.ts";

/**
 * The state with only those fragments: their own chains, and the shared chains they have a share in, reduced to that
 * share. What stands there for every Service alike is left out.
 */
export function selectFragments(state: KernelState, wanted: (fragment: Fragment) => boolean): KernelState {
  const fragments = [...state.fragments].filter(wanted);
  const tables = new Map<TableName, Chains>();
  for (const [table, chains] of state.tables) tables.set(table, sharedChains(chains, table, fragments));
  return { ...state, fragments: pagedList(fragments), tables, sysctls: [], counters: [] };
}

function sharedChains(chains: Chains, table: TableName, fragments: readonly Fragment[]): Chains {
  const shared = new Set(fragments.flatMap((fragment) => [...fragment.shares(table).keys()]));
  const bare = (name: string): Chain => ({ name, hold: "ours", rules: [] });
  return new Map([...chains.keys()].filter((name) => shared.has(name)).map((name) => [name, bare(name)]));
}
