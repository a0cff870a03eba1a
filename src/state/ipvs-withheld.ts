// What does a fragment want of IPVS while some things are done without?
import { entryKey, realKey, serverKey, shareOf } from "./ipvs-claims.ts";
import type { Fragment, IpvsShare, KernelState } from "./kernel-state.ts";
import type { VirtualServer } from "./virtual-server.ts";

/** Keys of what the kernel refused. */
export type Withheld = ReadonlySet<string>;

const NOTHING: Withheld = new Set();

export function withheldOf({ ipvs }: KernelState): Withheld {
  return (ipvs?.kind === "wanted" && ipvs.withheld) || NOTHING;
}

/**
 * A fragment's share without them. Where an address cannot be had, neither its virtual servers are of any use nor the
 * entry that stands for it: packets to it would meet the node's own programs.
 */
export function shareWithout(fragment: Fragment, withheld: Withheld): IpvsShare | undefined {
  const share = shareOf(fragment);
  if (!share || withheld.size === 0) return share;
  const has = (address: string | undefined) => address !== undefined && withheld.has(address);
  return {
    ...share,
    entries: share.entries.filter((entry) => !withheld.has(entryKey(entry)) && !has(entry.address)),
    servers: share.servers.flatMap((server) => serverWithout(server, withheld) ?? []),
    addresses: share.addresses.filter((address) => !has(address)),
  };
}

/** Undefined for one that is withheld itself. */
export function serverWithout(server: VirtualServer, withheld: Withheld): VirtualServer | undefined {
  if (withheld.size === 0) return server;
  if (withheld.has(serverKey(server)) || withheld.has(server.address)) return undefined;
  return { ...server, realServers: server.realServers.filter((real) => !withheld.has(realKey(server, real))) };
}
