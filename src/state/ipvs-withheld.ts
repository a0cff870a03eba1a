// What a Service port wants of IPVS while the kernel rejects some items: virtual servers, real servers, entries, addresses.
import type { SetEntry } from "./ip-set.ts";
import { entryKey, realKey, serverKey, shareOf } from "./ipvs-claims.ts";
import type { Admission, Fragment, IpvsShare, KernelState, Withheld } from "./kernel-state.ts";
import type { VirtualServer } from "./virtual-server.ts";

const NOTHING: Withheld = { rejected: new Set(), dependent: new Set() };

export function withheldOf({ ipvs }: KernelState): Withheld {
  return (ipvs?.kind === "wanted" && ipvs.withheld) || NOTHING;
}

/**
 * The entry that must go while the kernel rejects the entry of this key, so that packets to its address are served
 * without masquerade rather than rejected. Undefined for keys of which nothing depends.
 */
export function dependentOf(key: string, { admitting, rejecting }: Admission): string | undefined {
  const [set = "", address] = key.split(/[ ,]/, 2);
  return admitting.has(set) && address !== undefined ? entryKey({ set: rejecting, entry: address }) : undefined;
}

/**
 * A fragment's share without them. Where an address cannot be bound, neither its virtual servers are of any use nor the
 * entry for it: packets to it would reach the node's own programs.
 */
export function shareWithout(fragment: Fragment, withheld: Withheld): IpvsShare | undefined {
  const share = shareOf(fragment);
  const { rejected, dependent } = withheld;
  if (!share || rejected.size + dependent.size === 0) return share;
  const has = (address: string | undefined) => address !== undefined && rejected.has(address);
  const isOut = (entry: SetEntry) => [rejected, dependent].some((keys) => keys.has(entryKey(entry)));
  return {
    ...share,
    entries: share.entries.filter((entry) => !isOut(entry) && !has(entry.address)),
    servers: share.servers.flatMap((server) => serverWithout(server, withheld) ?? []),
    addresses: share.addresses.filter((address) => !has(address)),
  };
}

/** Undefined for one that is rejected itself. */
export function serverWithout(server: VirtualServer, { rejected }: Withheld): VirtualServer | undefined {
  if (rejected.size === 0) return server;
  if (rejected.has(serverKey(server)) || rejected.has(server.address)) return undefined;
  return { ...server, realServers: server.realServers.filter((real) => !rejected.has(realKey(server, real))) };
}
