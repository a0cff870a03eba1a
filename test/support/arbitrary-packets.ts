// Which clusters does a randomised test put before real packets, under which settings, and which packets does it send?
import fc from "fast-check";
import type { EndpointSlice, Service, Snapshot } from "../../src/api/objects.ts";
import type { RuleOptions } from "../../src/model/settings.ts";
import type { Listener } from "./agent.ts";
import { services, slices } from "./arbitrary-clusters.ts";
import { buildEndpoint, buildRecord, buildSnapshot } from "./build.ts";
import { NODE, type Placement, type Role } from "./topology.ts";

/** A client, and where it connects to. */
export interface ArbitraryPacket {
  readonly sender: Role;
  /** Absent: the node's routes choose. */
  readonly from?: string;
  readonly to: Listener;
}

export interface PacketScene {
  readonly snapshot: Snapshot;
  readonly settings: Partial<RuleOptions>;
  readonly packets: readonly ArbitraryPacket[];
}

/** What is the same in every cluster. */
interface Plan {
  /** Pods of this node; the last is no endpoint. */
  readonly pods: readonly string[];
  readonly elsewhere: readonly string[];
  /** Inside of the ranges that guard load balancers, and outside. */
  readonly clients: readonly string[];
  readonly services: readonly string[];
  readonly node: string;
  readonly loopback: string;
}

const V4: Plan = {
  pods: ["10.1.0.1", "10.1.0.2", "10.1.0.9"],
  elsewhere: ["10.1.0.3", "10.1.0.4", "10.1.0.5"],
  clients: ["198.18.0.9", "192.0.2.1", "203.0.113.200"],
  services: ["10.0.0.1", "1.2.3.4", "203.0.113.5", "203.0.113.6"],
  node: NODE.v4,
  loopback: "127.0.0.1",
};

const V6: Plan = {
  pods: ["fd00:1::1", "fd00:1::2", "fd00:1::9"],
  elsewhere: ["fd00:1::3", "fd00:1::4", "fd00:1::5"],
  clients: ["2001:db8:a:1::9", "2001:db8:ee::9"],
  services: ["fd00::1", "2001::5", "2001:db8:ff::5"],
  node: NODE.v6,
  loopback: "::1",
};

const PLANS = [V4, V6];

/** Where endpoints listen, for either port of a Service. */
const BEHIND = [
  { name: "http", protocol: "TCP", port: 8080 },
  { name: "dns", protocol: "UDP", port: 5353 },
] as const;

const SERVED = [
  { protocol: "tcp", port: 80 },
  { protocol: "udp", port: 53 },
] as const;

const NODE_PORTS = [
  { protocol: "tcp", port: 30_080 },
  { protocol: "udp", port: 30_053 },
] as const;

/** Processes listen here too; no Service has the last. */
const ON_NODE = [...NODE_PORTS, { protocol: "tcp", port: 31_000 }] as const;

/** Endpoints are where their slices say, as routes must agree; some are processes of the node itself. */
const packetSlices: fc.Arbitrary<EndpointSlice> = fc
  .tuple(slices, fc.integer({ min: 0, max: 4 }))
  .map(([slice, host]) => {
    const { node, elsewhere } = slice.family === "IPv4" ? V4 : V6;
    const placed = slice.endpoints.map((endpoint) => ({
      ...endpoint,
      nodeName: elsewhere.includes(endpoint.address) ? "n2" : "n1",
    }));
    const own = host === 0 ? [buildEndpoint(node, { nodeName: "n1" })] : [];
    return { ...slice, ports: BEHIND, endpoints: [...placed, ...own] };
  });

/** Both ports have one on the node, or neither has. */
const packetServices: fc.Arbitrary<Service> = services.map((service) => {
  const [http, dns] = service.ports;
  return http && dns ? { ...service, ports: [http, { ...dns, nodePort: http.nodePort === 0 ? 0 : 30_053 }] } : service;
});

const packetClusters: fc.Arbitrary<Snapshot> = fc
  .array(
    fc
      .tuple(packetServices, fc.uniqueArray(packetSlices, { selector: ({ name }) => name, minLength: 1, maxLength: 3 }))
      .map(([service, own]) => buildRecord(service, ...own)),
    { minLength: 1, maxLength: 3 },
  )
  .map((records) => buildSnapshot(records));

const settings: fc.Arbitrary<Partial<RuleOptions>> = fc
  .record({
    masqueradeAll: fc.constantFrom(false, false, false, true),
    nodePortAddresses: fc.constantFrom([], [], ["192.0.2.0/24"], ["primary"]),
    local: fc.constantFrom<Partial<RuleOptions>>(
      { clusterCIDRs: ["10.1.0.0/16", "fd00:1::/64"] },
      { clusterCIDRs: [] },
      { detectLocalMode: "BridgeInterface", bridgeInterface: "cni0" },
      { detectLocalMode: "InterfaceNamePrefix", interfaceNamePrefix: "cni" },
    ),
    scheduler: fc.constantFrom("rr", "rr", "rr", "wrr", "sh", "lc", "mh"),
  })
  .map(({ local, scheduler, ...given }) => ({
    ...given,
    ...local,
    ipvs: { scheduler, strictARP: false, excludeCIDRs: [] },
  }));

/** So many packets for each cluster, most of them to what its Services claim. */
export function packetScenes(count: number): fc.Arbitrary<PacketScene> {
  return packetClusters.chain((snapshot) => {
    const packets = fc.array(packetsTo(claimsOf(snapshot)), { minLength: count, maxLength: count });
    return fc.record({ snapshot: fc.constant(snapshot), settings, packets });
  });
}

function packetsTo(claims: readonly Listener[]): fc.Arbitrary<ArbitraryPacket> {
  const to = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...claims) },
    ...PLANS.map((plan) => ({ weight: 1, arbitrary: fc.constantFrom(...othersOf(plan)) })),
  );
  return to.chain((to) => clientTo(to).map((client) => ({ ...client, to })));
}

function clientTo({ address }: Listener): fc.Arbitrary<Omit<ArbitraryPacket, "to">> {
  const { pods, clients, loopback } = address.includes(":") ? V6 : V4;
  if (address === loopback) return fc.constant({ sender: "node" });
  return fc.oneof(
    fc.constantFrom(...pods).map((from) => ({ sender: "pods" as const, from })),
    fc.constantFrom(...clients).map((from) => ({ sender: "outside" as const, from })),
    fc.constant({ sender: "node" as const }),
  );
}

function claimsOf({ services: records }: Snapshot): readonly Listener[] {
  return [...records].flatMap(({ service: { clusterIPs, externalIPs, ingressVIPs, ports } }) => [
    ...listenersAt([...clusterIPs, ...externalIPs, ...ingressVIPs], SERVED),
    ...(ports.some(({ nodePort }) => nodePort !== 0) ? listenersAt([NODE.v4, NODE.v6], NODE_PORTS) : []),
  ]);
}

/** Where Services may or may not be. */
function othersOf({ services: own, elsewhere, node, loopback }: Plan): readonly Listener[] {
  return [
    ...listenersAt(own, [...SERVED, { protocol: "udp", port: 80 }, ...ON_NODE]),
    ...listenersAt([node, loopback], ON_NODE),
    ...listenersAt(elsewhere, [{ protocol: "tcp", port: 8080 }]),
  ];
}

/** Addresses and servers for all of these. What is sent on untouched is answered too, by who stands for the world. */
export const PLACEMENTS: Readonly<Record<Role, Placement>> = {
  node: {
    addresses: [],
    listeners: PLANS.flatMap(({ node, loopback }) => [
      ...listenersAt([node], [...ON_NODE, ...behind()]),
      ...listenersAt([loopback], ON_NODE),
    ]),
  },
  outside: { addresses: PLANS.flatMap(({ clients }) => clients).filter((one) => one !== "192.0.2.1"), listeners: [] },
  pods: {
    addresses: PLANS.flatMap(({ pods }) => pods),
    listeners: PLANS.flatMap(({ pods }) => listenersAt(pods, behind())),
  },
  remote: {
    addresses: PLANS.flatMap((plan) => [...plan.elsewhere, ...plan.services]),
    listeners: PLANS.flatMap((plan) => [
      ...listenersAt(plan.elsewhere, behind()),
      ...listenersAt(plan.services, [...SERVED, { protocol: "udp", port: 80 }, ...ON_NODE]),
    ]),
  },
};

function behind(): readonly Omit<Listener, "address">[] {
  return BEHIND.map(({ protocol, port }) => ({ protocol: protocol === "TCP" ? "tcp" : "udp", port }));
}

function listenersAt(addresses: readonly string[], ports: readonly Omit<Listener, "address">[]): Listener[] {
  return addresses.flatMap((address) => ports.map((port) => ({ ...port, address })));
}
