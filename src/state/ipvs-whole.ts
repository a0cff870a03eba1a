// Sets, virtual servers and addresses of all fragments together.
import type { IpSet, SetEntry } from "./ip-set.ts";
import { shareWithout, withheldOf } from "./ipvs-withheld.ts";
import type { IpvsShare, KernelState } from "./kernel-state.ts";
import { printIdentity, type VirtualServer } from "./virtual-server.ts";

/** Everything once, whoever claims it. */
export interface WholeIpvs {
  /** In the order of the state's headers. */
  readonly sets: readonly IpSet[];
  readonly servers: readonly VirtualServer[];
  /** Sorted. */
  readonly addresses: readonly string[];
}

/**
 * The whole of a wanted state: sets with the entries of all fragments, virtual servers, addresses. Where two fragments
 * claim one virtual server the last in order has it alone, real servers and all. What is withheld is left out. A state of
 * another mode has nothing.
 */
export function wholeIpvs(state: KernelState): WholeIpvs {
  const { ipvs, fragments } = state;
  const withheld = withheldOf(state);
  const shares = [...fragments].flatMap((fragment) => shareWithout(fragment, withheld) ?? []);
  const headers = ipvs?.kind === "wanted" ? ipvs.sets : [];
  const entries = entriesOf(shares.flatMap((share) => share.entries));
  return {
    sets: headers.map((header) => ({ ...header, entries: entries.get(header.name) ?? new Set() })),
    servers: serversOf(shares),
    addresses: [...new Set(shares.flatMap(({ addresses }) => addresses))].sort(),
  };
}

function entriesOf(all: readonly SetEntry[]): ReadonlyMap<string, ReadonlySet<string>> {
  const sets = new Map<string, Set<string>>();
  for (const { set, entry } of all) {
    const entries = sets.get(set) ?? new Set();
    sets.set(set, entries.add(entry));
  }
  return sets;
}

function serversOf(shares: readonly IpvsShare[]): readonly VirtualServer[] {
  const servers = shares.flatMap((share) => share.servers);
  return [...new Map(servers.map((server) => [printIdentity(server), server])).values()];
}
