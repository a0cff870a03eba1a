// What would be in the kernel beside tables in IPVS mode, as data: what of it is there for which ServicePorts?
import { ownerOf } from "../plan/owners.ts";
import type { IpSet } from "../state/ip-set.ts";
import { entryKey, keysOf, serverKey } from "../state/ipvs-claims.ts";
import { wholeIpvs } from "../state/ipvs-whole.ts";
import type { KernelState } from "../state/kernel-state.ts";
import type { VirtualServer } from "../state/virtual-server.ts";
import type { Data } from "./data-text.ts";

/** What several ServicePorts claim names them all; of a virtual server it is the last of them whose settings count. */
export function ipvsData(state: KernelState, devices: readonly string[]): { readonly [field: string]: Data } {
  const { sets, servers, addresses } = wholeIpvs(state);
  const claimants = claimantsIn(state);
  return {
    sets: sets.map((set) => setData(set, claimants)),
    servers: servers.map((server) => serverData(server, claimants)),
    devices,
    addresses: addresses.map((address) => ({ address, servicePorts: claimants.get(address) })),
  };
}

/** ServicePorts (`shop/cart:http`), in order, by the key of what they claim. */
type Claimants = ReadonlyMap<string, readonly string[]>;

function claimantsIn({ fragments }: KernelState): Claimants {
  const claimants = new Map<string, string[]>();
  for (const fragment of fragments) {
    const share = fragment.ipvs();
    // A fragment may have one thing twice: an address of two kinds of its Service.
    for (const key of new Set(share && keysOf(share))) {
      const others = claimants.get(key);
      if (others) others.push(ownerOf(fragment));
      else claimants.set(key, [ownerOf(fragment)]);
    }
  }
  return claimants;
}

function setData({ name, type, family, entries }: IpSet, claimants: Claimants): Data {
  const sorted = [...entries].sort();
  const entryData = (entry: string) => ({ entry, servicePorts: claimants.get(entryKey({ set: name, entry })) });
  return { name, type, family, entries: sorted.map(entryData) };
}

function serverData({ realServers, ...server }: VirtualServer, claimants: Claimants): Data {
  const servicePorts = claimants.get(serverKey(server));
  return { ...server, servicePorts, realServers: realServers.map((real) => ({ ...real })) };
}
