// How does a test write a fragment, and a state of fragments, with only what it is about?
import { pagedList } from "../../src/paged-list.ts";
import { type Chain, emptyState, type Fragment, type KernelState, type Shares } from "../../src/state/kernel-state.ts";

/** A fragment with one share in KUBE-SERVICES of the nat table (these lines), and these chains of its own there. */
export function buildFragment(key: string, share: readonly string[] = [key], own: readonly Chain[] = []): Fragment {
  const rules = share.map((line) => ({ line: `-A KUBE-SERVICES -j ${line}` }));
  const shares: Shares = rules.length === 0 ? new Map() : new Map([["KUBE-SERVICES", rules]]);
  return {
    key,
    size: own.length,
    chains: (table) => (table === "nat" ? own : []),
    shares: (table) => (table === "nat" ? shares : new Map()),
    ipvs: () => undefined,
  };
}

/** A chain of our own with these targets. */
export function buildChain(name: string, ...targets: readonly string[]): Chain {
  return { name, hold: "ours", rules: targets.map((target) => ({ line: `-A ${name} -j ${target}` })) };
}

/** IPv4, these chains fixed in the nat table, these fragments. */
export function buildState(fragments: readonly Fragment[], chains = [buildChain("KUBE-SERVICES")]): KernelState {
  const tables = new Map([["nat" as const, new Map(chains.map((chain) => [chain.name, chain]))]]);
  return { ...emptyState("IPv4"), tables, fragments: pagedList(fragments) };
}
