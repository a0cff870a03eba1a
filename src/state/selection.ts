// What of a state belongs to some of its fragments only?
import { pagedList } from "../paged-list.ts";
import type { Chain, Chains, Fragment, IpvsShare, IpvsState, KernelState, TableName } from "./kernel-state.ts";

/**
 * The state with only those fragments: their own chains, and the shared chains they have a share in, reduced to that
 * share; sets likewise. What stands there for every Service alike is left out.
 */
export function selectFragments(state: KernelState, wanted: (fragment: Fragment) => boolean): KernelState {
  const fragments = [...state.fragments].filter(wanted);
  const shares = fragments.flatMap((fragment) => fragment.ipvs() ?? []);
  const tables = new Map<TableName, Chains>();
  for (const [table, chains] of state.tables) {
    const shared = sharedChains(chains, table, fragments).map((chain) => [chain.name, among(chain, state)] as const);
    tables.set(table, new Map([...shared, ...sortedChains(chains, shares)]));
  }
  const ipvs = state.ipvs && { ipvs: usedSets(state.ipvs, shares) };
  return { ...state, fragments: pagedList(fragments), tables, sysctls: [], counters: [], ...ipvs };
}

function sharedChains(chains: Chains, table: TableName, fragments: readonly Fragment[]): readonly Chain[] {
  const shared = new Set(fragments.flatMap((fragment) => [...fragment.shares(table).keys()]));
  const used = [...chains.values()].filter(({ name }) => shared.has(name));
  return used.map(({ name, index }) => ({ name, hold: "ours", rules: [], ...(index && { index }) }));
}

/** In an index they stand where they stand among all. */
function among(chain: Chain, { fragments }: KernelState): Chain {
  return chain.index ? { ...chain, index: { ...chain.index, among: fragments } } : chain;
}

/** Chains with rules that stand in an order of their own, reduced to those that a fragment claims. */
function sortedChains(chains: Chains, shares: readonly IpvsShare[]): Chains {
  const lines = new Set(shares.flatMap(({ rules }) => rules.map(({ line }) => line)));
  const reduced = [...chains.values()].map(({ name, hold, rules }): Chain => {
    return { name, hold, rules: rules.filter(({ line }) => lines.has(line)) };
  });
  return new Map(reduced.filter(({ rules }) => rules.length > 0).map((chain) => [chain.name, chain]));
}

function usedSets({ sets }: IpvsState, shares: readonly IpvsShare[]): IpvsState {
  const used = new Set(shares.flatMap(({ entries }) => entries.map(({ set }) => set)));
  return { kind: "wanted", sets: sets.filter(({ name }) => used.has(name)), devices: [], spared: [] };
}
