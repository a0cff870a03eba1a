// Maps each destination of a UDP ServicePort to the endpoints that its conntrack entries may lead to.
import { hostPort } from "../net/address.ts";
import { lean } from "../net/lean-list.ts";
import { mapPages, type Page } from "../paged-list.ts";
import type { Endpoint } from "./endpoint.ts";
import type { KnownPort, KnownService } from "./known-service.ts";
import { isLoopback } from "./node-ips.ts";
import { sameList } from "./sameness.ts";
import type { KnownWorld, World } from "./world.ts";

/** Where clients of a ServicePort send to. */
export interface UdpDestination {
  /** Absent: a nodePort, at every address of the node that answers on nodePorts. */
  readonly address?: string;
  readonly port: number;
  /** `ip:port` of each endpoint whose flows are right. */
  readonly endpoints: ReadonlySet<string>;
}

/** Destinations by `ip:port`; a nodePort by `:port`. */
export interface UdpTraffic {
  readonly destinations: ReadonlyMap<string, UdpDestination>;
  /** What the destinations were made of: one list for each Service with a UDP port. */
  readonly parts: readonly (readonly UdpDestination[])[];
}

/** Before anything was ever applied. */
export const NO_UDP_TRAFFIC: UdpTraffic = { destinations: new Map(), parts: [] };

// Valid as long as the key is the same object, as everything above it in this folder.
const pages = new WeakMap<Page<KnownService>, Page<readonly UdpDestination[]>>();
const remembered = new WeakMap<KnownService, readonly UdpDestination[]>();

/**
 * The UDP traffic of a family. Gives `previous` back where no Service with a UDP port is another object; the others are
 * not looked into.
 *
 * Right are the flows to endpoints that serve, whether they are ready, draining or near, as in kube-proxy, and to those
 * that get new flows. Where there is none of these the Service has nothing better to offer, so that flows to endpoints
 * that are listed at all are left in peace. What two Services claim goes to the endpoints of both.
 */
export function udpTrafficOf({ known }: KnownWorld, previous: UdpTraffic): UdpTraffic {
  const parts = [...mapPages(known, pages, (page) => page.filter(({ ports }) => ports.some(isUdp)).map(partOf))];
  return sameList(previous.parts, parts) ? previous : { destinations: merge(parts.flat()), parts };
}

/** Whether a destination was added or removed, or one of its endpoints was. */
export function isDifferentTraffic(now: UdpTraffic, before: UdpTraffic): boolean {
  if (now === before) return false;
  if (now.destinations.size !== before.destinations.size) return true;
  return [...now.destinations].some(([key, { endpoints }]) => {
    const old = before.destinations.get(key)?.endpoints;
    return old !== endpoints && !(old?.size === endpoints.size && [...endpoints].every((one) => old.has(one)));
  });
}

/** Returns the destinations of both, each once. */
export function allDestinations(now: UdpTraffic, before: UdpTraffic): readonly UdpDestination[] {
  return [...new Map([...before.destinations, ...now.destinations]).values()];
}

/** The traffic of both: what was applied at one time or the other. */
export function bothTraffics(a: UdpTraffic, b: UdpTraffic): UdpTraffic {
  const parts = [...a.parts, ...b.parts];
  return { destinations: merge([...a.destinations.values(), ...b.destinations.values()]), parts };
}

/** Endpoints to which flows to this address and port may go; undefined where nobody claims it. */
export function endpointsAt(
  { destinations }: UdpTraffic,
  { address, port }: { readonly address: string; readonly port: number },
  isNodePortAddress: (address: string) => boolean,
): ReadonlySet<string> | undefined {
  const own = destinations.get(hostPort(address, port))?.endpoints;
  const nodePort = destinations.get(keyOf({ port }));
  if (!nodePort || !isNodePortAddress(address)) return own;
  return own ? union(own, nodePort.endpoints) : nodePort.endpoints;
}

/**
 * Does the node answer on nodePorts at this address? `addresses` are those of its interfaces. A flow to the same port
 * of another machine only passes through and is nobody's business.
 */
export function nodePortAddressTest(
  { nodePortAddresses, settings }: Pick<World, "nodePortAddresses" | "settings">,
  addresses: readonly { readonly address: string }[],
): (address: string) => boolean {
  if (nodePortAddresses !== "all") {
    const chosen = new Set(nodePortAddresses);
    return (address) => chosen.has(address);
  }
  const own = new Set(addresses.map(({ address }) => address));
  return (address) => (isLoopback(address) ? settings.localhostNodePorts && address !== "::1" : own.has(address));
}

function partOf(service: KnownService): readonly UdpDestination[] {
  const known = remembered.get(service);
  if (known) return known;
  const part = lean(service.ports.filter(isUdp).flatMap(destinationsOf));
  remembered.set(service, part);
  return part;
}

function isUdp({ traffic }: KnownPort): boolean {
  return traffic.servicePort.protocol === "UDP";
}

function destinationsOf({ traffic: { servicePort }, endpoints: known }: KnownPort): readonly UdpDestination[] {
  const { clusterIP, externalIPs, loadBalancerVIPs, port, nodePort } = servicePort;
  const endpoints = new Set(rightEndpoints(known).map(({ text }) => text));
  const addresses = [clusterIP, ...externalIPs, ...loadBalancerVIPs];
  const destinations: UdpDestination[] = addresses.map((address) => ({ address, port, endpoints }));
  return nodePort === 0 ? destinations : [...destinations, { port: nodePort, endpoints }];
}

function rightEndpoints(known: readonly Endpoint[]): readonly Endpoint[] {
  const right = known.filter(({ serving, ready }) => serving || ready);
  return right.length > 0 ? right : known;
}

function merge(destinations: readonly UdpDestination[]): ReadonlyMap<string, UdpDestination> {
  const merged = new Map<string, UdpDestination>();
  for (const one of destinations) {
    const key = keyOf(one);
    const other = merged.get(key);
    merged.set(key, other ? { ...one, endpoints: union(one.endpoints, other.endpoints) } : one);
  }
  return merged;
}

function keyOf({ address, port }: { readonly address?: string; readonly port: number }): string {
  return address === undefined ? `:${port}` : hostPort(address, port);
}

function union(a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> {
  return a === b ? a : new Set([...a, ...b]);
}
