// How does a line of `packets.yaml` become real connections, and what should they find?
import type { Listener, Outcome, Probe } from "./agent.ts";
import type { Cluster, ClusterPort } from "./cluster.ts";
import { type Destination, type PacketCase, readDestination } from "./packet-case.ts";
import { type Placement, ROLES, type Role } from "./topology.ts";

/** One line as it will be sent: by whom, which connections, and what they should find. */
export interface Flow {
  readonly name: string;
  readonly sender: Role;
  readonly probe: Probe;
  /** Why this line cannot be sent by any test: not for want of rights. */
  readonly unable?: string;
  readonly expected: Findings;
  /** Connections of one client that stay with one endpoint: any single one of those expected will do. */
  readonly affinity: boolean;
}

/** What many connections found, without how often. */
export interface Findings {
  readonly reached: readonly string[];
  readonly failed: readonly string[];
  /** Whose address the endpoint saw: the sender's or the node's; empty where nobody was reached or nothing is said. */
  readonly sources: readonly string[];
}

/** Which of the clients outside is meant by `external`; the other one is named by its address. */
const EXTERNAL = { v4: "198.18.0.9", v6: "2001:db8:ee::9" };

const POD_RANGES = /^(?:10\.244\.|fd00:244:)/;
const LOCAL_PODS = /^(?:10\.244\.0\.|fd00:244::|fd00:244:0:0:)/;

/** Milliseconds: an answer may be late on a busy machine, silence is only waited for. */
const PATIENCE = { answer: 4000, silence: 400 };

/** A draw that misses one of the endpoints should happen to nobody who runs the tests in years. */
const MISS = 1e-9;

export function flowOf(packet: PacketCase, cluster: Cluster): Flow {
  const to = readDestination(packet.to);
  const port = servicePort(to, cluster);
  const address = to.host === "node" ? nodeAddress(packet, cluster, port) : to.host;
  const from = sourceOf(packet.from, address);
  const sender = from === undefined ? "node" : roleOf(from, cluster);
  const unable = unableTo(packet, to, sender);
  return {
    name: packet.name,
    sender,
    probe: {
      protocol: to.protocol === "udp" ? "udp" : "tcp",
      ...(from === undefined ? {} : { from }),
      address,
      port: to.port,
      count: "reaches" in packet ? enough(packet.reaches.length) : 2,
      parallel: 8,
      timeout: "dropped" in packet ? PATIENCE.silence : PATIENCE.answer,
    },
    expected: expectedOf(packet, { address, port: to.port, from, cluster }),
    affinity: port?.affinity ?? false,
    ...(unable === undefined ? {} : { unable }),
  };
}

/** Addresses and servers that a cluster and its flows need; every destination answers where nobody redirects it. */
export function placements(cluster: Cluster, flows: readonly Flow[]): Readonly<Record<Role, Placement>> {
  const listeners = new Map<Role, Map<string, Listener>>(ROLES.map((role) => [role, new Map()]));
  const addresses = new Map<Role, Set<string>>(ROLES.map((role) => [role, new Set()]));
  const listen = (role: Role, { protocol, address, port }: Listener): void => {
    addresses.get(role)?.add(address);
    listeners.get(role)?.set(`${protocol} ${address} ${port}`, { protocol, address, port });
  };
  for (const { protocol, address, port, local } of cluster.endpoints) {
    const home = cluster.nodeAddresses.includes(address) ? "node" : local ? "pods" : "remote";
    if (protocol !== "sctp") listen(home, { protocol, address, port });
  }
  for (const { sender, probe, unable } of flows) {
    if (unable !== undefined) continue;
    if (probe.from !== undefined) addresses.get(sender)?.add(probe.from);
    const role = roleOf(probe.address, cluster);
    listen(role === "outside" ? "remote" : role, probe);
  }
  for (const address of cluster.nodeAddresses) addresses.get("node")?.add(address);
  const of = (role: Role): Placement => ({
    addresses: [...(addresses.get(role) ?? [])].filter((address) => !isLoopback(address)),
    listeners: [...(listeners.get(role)?.values() ?? [])],
  });
  return { node: of("node"), outside: of("outside"), pods: of("pods"), remote: of("remote") };
}

/** Sums up what connections found, in the terms of what was expected of them. */
export function findingsOf(
  outcomes: readonly Outcome[],
  { probe, expected, affinity }: Flow,
  cluster: Cluster,
): Findings {
  const reached = distinct(outcomes.flatMap((outcome) => ("reached" in outcome ? [outcome.reached] : [])));
  const clients = outcomes.flatMap((outcome) => ("reached" in outcome ? [outcome.client] : []));
  const single = affinity && reached.length === 1 && expected.reached.includes(reached[0] ?? "");
  return {
    reached: single ? expected.reached : reached,
    failed: distinct(outcomes.flatMap((outcome) => ("failed" in outcome ? [outcome.failed] : []))),
    sources: expected.sources.length === 0 ? [] : distinct(clients.map((client) => whose(client, probe.from, cluster))),
  };
}

function expectedOf(
  packet: PacketCase,
  { address, port, from, cluster }: { address: string; port: number; from: string | undefined; cluster: Cluster },
): Findings {
  const nobody: Findings = { reached: [], failed: [], sources: [] };
  if ("dropped" in packet) return { ...nobody, failed: ["silence"] };
  if ("rejected" in packet) return { ...nobody, failed: ["refusal"] };
  const kept = from === undefined ? "the node's" : whose(from, from, cluster);
  if ("none" in packet) return { ...nobody, reached: [print(address, port)], sources: [kept] };
  const { reaches, masqueraded } = packet;
  const sources = masqueraded === undefined ? [] : [masqueraded ? "the node's" : kept];
  return { ...nobody, reached: [...reaches].sort(), sources };
}

function unableTo({ in: entry }: PacketCase, { protocol }: Destination, sender: Role): string | undefined {
  if (protocol === "sctp") return "Node has no SCTP sockets";
  return entry === "eth0" && sender !== "outside" ? "the answer to a forged source goes to its owner" : undefined;
}

function whose(client: string, from: string | undefined, { nodeAddresses }: Cluster): string {
  if (nodeAddresses.includes(client) || isLoopback(client)) return "the node's";
  return client === from ? "the sender's" : client;
}

function sourceOf(from: string, to: string): string | undefined {
  if (from === "node") return undefined;
  return from === "external" ? (isV6(to) ? EXTERNAL.v6 : EXTERNAL.v4) : from;
}

function roleOf(address: string, { nodeAddresses, endpoints }: Cluster): Role {
  if (nodeAddresses.includes(address) || isLoopback(address)) return "node";
  const endpoint = endpoints.find((candidate) => candidate.address === address);
  if (endpoint ? endpoint.local : LOCAL_PODS.test(address)) return "pods";
  return endpoint || POD_RANGES.test(address) ? "remote" : "outside";
}

function servicePort(to: Destination, { ports }: Cluster): ClusterPort | undefined {
  return ports.find(
    (port) =>
      port.protocol === to.protocol &&
      (to.host === "node" || !port.addresses.includes(to.host) ? port.nodePort === to.port : port.port === to.port),
  );
}

// `node:PORT` is of the family of the sender, or of who is reached, or of the Service's cluster IP.
function nodeAddress(packet: PacketCase, { nodeAddresses }: Cluster, port: ClusterPort | undefined): string {
  const witness = /[.:]/.test(packet.from) ? packet.from : "reaches" in packet ? packet.reaches[0] : port?.addresses[0];
  const v6 = witness !== undefined && isV6(witness.replace(/:\d+$/, "")) && !/^\d+\./.test(witness);
  const address = nodeAddresses.find((candidate) => isV6(candidate) === v6);
  if (address === undefined) throw new Error(`the node has no address for: ${packet.name}`);
  return address;
}

function enough(endpoints: number): number {
  return endpoints === 1 ? 3 : Math.ceil(Math.log(MISS / endpoints) / Math.log(1 - 1 / endpoints));
}

function print(address: string, port: number): string {
  return isV6(address) ? `[${address}]:${port}` : `${address}:${port}`;
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
}

function isLoopback(address: string): boolean {
  return address.startsWith("127.") || address === "::1";
}

function isV6(address: string): boolean {
  return address.includes(":");
}
