// Builds desired and observed IPVS states of two sets, with only what a test is about.
import { pagedList } from "../../src/paged-list.ts";
import type { SetHeader } from "../../src/state/ip-set.ts";
import {
  emptyState,
  type Fragment,
  type IpvsShare,
  type IpvsState,
  type KernelState,
} from "../../src/state/kernel-state.ts";
import { IPVS_DEVICE } from "../../src/state/node-facts.ts";
import type { BusyServer, ObservedServer, RealServer, VirtualServer } from "../../src/state/virtual-server.ts";
import { buildFragment } from "./fragments.ts";

type Wanted = Extract<IpvsState, { readonly kind: "wanted" }>;

export type Observed = Extract<IpvsState, { readonly kind: "observed" }>;

export const CLUSTER_IP: SetHeader = { name: "KUBE-CLUSTER-IP", type: "hash:ip,port", family: "inet" };

export const IPVS_IPS: SetHeader = { name: "KUBE-IPVS-IPS", type: "hash:ip", family: "inet" };

/** At port 8080, with weight 1. */
export function buildReal(address: string, given: Partial<RealServer> = {}): RealServer {
  return { address, port: 8080, method: "masquerade", weight: 1, ...given };
}

/** TCP port 80, with real servers at these addresses. */
export function buildServer(
  address: string,
  reals: readonly string[],
  given: Partial<VirtualServer> = {},
): VirtualServer {
  const realServers = reals.map((real) => buildReal(real));
  return {
    address,
    protocol: "TCP",
    port: 80,
    scheduler: "rr",
    schedulerFlags: 0,
    persistence: 0,
    realServers,
    ...given,
  };
}

/** A ServicePort that wants this beside tables. */
export function buildIpvsFragment(key: string, given: Partial<IpvsShare>): Fragment {
  const share: IpvsShare = { entries: [], servers: [], addresses: [], rules: [], ...given };
  return { ...buildFragment(key, []), ipvs: () => share };
}

/** A ServicePort of one address: its virtual server, its entry, and the address with the entry that stands for it. */
export function buildServed(address: string, reals: readonly string[], given: Partial<VirtualServer> = {}): Fragment {
  const server = buildServer(address, reals, given);
  const entry = `${address},${server.protocol.toLowerCase()}:${server.port}`;
  return buildIpvsFragment(`${address} ${server.port}`, {
    entries: [
      { set: CLUSTER_IP.name, entry },
      { set: IPVS_IPS.name, entry: address, address },
    ],
    servers: [server],
    addresses: [address],
  });
}

/** IPv4, and no table. */
export function buildIpvsState(fragments: readonly Fragment[], given: Partial<Wanted> = {}): KernelState {
  const admission = { admitting: new Set([CLUSTER_IP.name]), rejecting: IPVS_IPS.name };
  const common = { sets: [CLUSTER_IP, IPVS_IPS], devices: [IPVS_DEVICE], spared: [], admission };
  const ipvs: Wanted = { kind: "wanted", ...common, ...given };
  return { ...emptyState("IPv4"), fragments: pagedList(fragments), ipvs };
}

/** A look at a kernel that has the interface and both sets, all empty unless said. */
export function buildObserved(given: Partial<Observed> = {}): KernelState & { readonly ipvs: Observed } {
  const ipvs: Observed = {
    kind: "observed",
    sets: [CLUSTER_IP, IPVS_IPS].map((set) => ({ ...set, entries: new Set() })),
    servers: [],
    devices: [IPVS_DEVICE],
    addresses: [],
    ...given,
  };
  return { ...emptyState("IPv4"), observed: true, ipvs };
}

/** The virtual server as it would be found, each real server with so many connections. */
export function foundServer({ realServers, ...server }: VirtualServer, connections = 0): ObservedServer {
  const busy = (real: RealServer): BusyServer => ({ ...real, activeConnections: connections, inactiveConnections: 0 });
  return { ...server, realServers: realServers.map(busy) };
}
