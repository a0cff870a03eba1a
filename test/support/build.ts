// How does a test write an object with only what it is about? Everything unsaid is what the API server would fill in.
import type { ApiEndpoint, EndpointSlice, Node, Service, ServiceRecord, Snapshot } from "../../src/api/objects.ts";
import { compareServices } from "../../src/api/service-name.ts";
import type { Gates } from "../../src/model/service-port.ts";
import type { RuleFacts, RuleOptions } from "../../src/model/settings.ts";
import { familyOf } from "../../src/net/address.ts";
import { pagedList } from "../../src/paged-list.ts";

type ApiPort = Service["ports"][number];

/** A port named `http`, TCP 80, unless said. */
export function buildPort(given: Partial<ApiPort> = {}): ApiPort {
  return { name: "http", protocol: "TCP", port: 80, nodePort: 0, ...given };
}

/** Service `ns/s` of type ClusterIP with one port; cluster IPs and families follow from `clusterIP` unless said. */
export function buildService(given: Partial<Service> = {}): Service {
  const clusterIP = given.clusterIP ?? "10.0.0.1";
  const clusterIPs = given.clusterIPs ?? [clusterIP];
  return {
    kind: "Service",
    namespace: "ns",
    name: "s",
    type: "ClusterIP",
    clusterIP,
    clusterIPs,
    ipFamilies: clusterIPs.map(familyOf),
    hasSelector: true,
    ports: [buildPort()],
    externalIPs: [],
    ingressVIPs: [],
    sourceRanges: "everyone",
    affinitySeconds: 0,
    externalTrafficPolicy: "Cluster",
    internalTrafficPolicy: "Cluster",
    healthCheckNodePort: 0,
    foreignProxy: false,
    ...given,
  };
}

/** A ready endpoint without hints, on no node. */
export function buildEndpoint(address: string, given: Partial<ApiEndpoint> = {}): ApiEndpoint {
  return {
    address,
    nodeName: "",
    ready: true,
    serving: true,
    terminating: false,
    zoneHints: [],
    nodeHints: [],
    pod: "",
    ...given,
  };
}

/** An IPv4 slice of `ns/s` with the endpoints and port http/TCP 8080. */
export function buildSlice(endpoints: readonly ApiEndpoint[], given: Partial<EndpointSlice> = {}): EndpointSlice {
  return {
    kind: "EndpointSlice",
    namespace: "ns",
    name: "s-1",
    service: "s",
    family: "IPv4",
    headless: false,
    ports: [{ name: "http", protocol: "TCP", port: 8080 }],
    endpoints,
    ...given,
  };
}

export function buildNode(given: Partial<Node> = {}): Node {
  return {
    kind: "Node",
    name: "n1",
    zone: "z1",
    addresses: ["192.0.2.10", "2001:db8:a::10"],
    podCIDRs: ["10.244.0.0/24", "fd00:244::/64"],
    deleting: false,
    toBeDeleted: false,
    ...given,
  };
}

export function buildRecord(service: Service, ...slices: readonly EndpointSlice[]): ServiceRecord {
  return { service, slices };
}

/** A snapshot of the records and of Node `n1` (or the nodes given). */
export function buildSnapshot(records: readonly ServiceRecord[], nodes: readonly Node[] = [buildNode()]): Snapshot {
  return {
    services: buildRecords(records),
    nodes: new Map(nodes.map((node) => [node.name, node])),
    pods: new Map(),
  };
}

/** The records as a snapshot has them; of those for the same Service the last one counts. */
export function buildRecords(records: Iterable<ServiceRecord>): Snapshot["services"] {
  const newest = new Map([...records].map((record) => [`${record.service.namespace}/${record.service.name}`, record]));
  return pagedList([...newest.values()].sort((a, b) => compareServices(a.service, b.service)));
}

/** The defaults of kube-proxy, as far as rules depend on them. */
export function buildOptions(given: Partial<RuleOptions & Gates> = {}): RuleOptions & Gates {
  return {
    mode: "iptables",
    ipvs: { scheduler: "rr", strictARP: false, excludeCIDRs: [] },
    conntrack: { tcpBeLiberal: false },
    bindAddress: "0.0.0.0",
    clusterCIDRs: [],
    detectLocalMode: "ClusterCIDR",
    bridgeInterface: "",
    interfaceNamePrefix: "",
    nodePortAddresses: [],
    masqueradeAll: false,
    masqueradeBit: 14,
    localhostNodePorts: true,
    allowServiceExternalIPs: true,
    ...given,
  };
}

/** A machine with loopback and one interface, a present iptables and no counters. */
export function buildFacts(given: Partial<RuleFacts> = {}): RuleFacts {
  return {
    addresses: [
      { interface: "lo", address: "127.0.0.1" },
      { interface: "lo", address: "::1" },
      { interface: "eth0", address: "192.0.2.10" },
      { interface: "eth0", address: "2001:db8:a::10" },
    ],
    iptablesVersion: "1.8.9",
    kernelVersion: "6.1",
    counters: { invalidDropped: false, localhostNodePorts: false },
    tcpBeLiberal: false,
    ...given,
  };
}
