// What does the network look like that a cluster's packets travel through?
//
//   outside ──eth0── node ──eth1── remote      remote: pods of other nodes, and whatever the node sends out untouched
//                     │
//                    cni0 (or another name)    pods: all pods of this node
//                     │
//                    pods
import type { Listener } from "./agent.ts";
import { configure, makeNetns, type Netns, removeNetns } from "./netns.ts";

export const ROLES = ["node", "outside", "pods", "remote"] as const;

export type Role = (typeof ROLES)[number];

export interface Topology extends Readonly<Record<Role, Netns>> {
  readonly podInterface: string;
  /** What stands in each namespace at present beyond its bare links. */
  readonly placed: Map<Role, readonly string[]>;
}

/** What a test wants in one namespace: addresses, and servers on them. */
export interface Placement {
  readonly addresses: readonly string[];
  readonly listeners: readonly Listener[];
}

/** The node's own addresses. */
export const NODE = { v4: "192.0.2.10", v6: "2001:db8:a::10" };

/** Peers of the node speak to it by this link-local address, and it to them by the next. */
const LINK = { node: "fe80::1", peer: "fe80::2" };

// ICMP errors are not rationed, so that each refused connection learns of it; duplicate address detection takes a
// second that nobody wants to wait; reverse path filters would drop what the policy routes below send in circles.
const SETTINGS: Readonly<Record<string, string>> = {
  "net/ipv4/conf/all/rp_filter": "0",
  "net/ipv4/conf/default/rp_filter": "0",
  "net/ipv4/conf/default/accept_local": "1",
  "net/ipv6/conf/default/accept_dad": "0",
  "net/ipv6/conf/default/accept_ra": "0",
  "net/ipv4/icmp_ratelimit": "0",
  "net/ipv6/icmp/ratelimit": "0",
};

const FORWARDING: Readonly<Record<string, string>> = {
  "net/ipv4/ip_forward": "1",
  "net/ipv6/conf/all/forwarding": "1",
};

/** Makes the four namespaces and their links; nothing of any cluster is there yet. The node's may be one that exists. */
export async function makeTopology(podInterface: string, makeNode = makeNetns): Promise<Topology> {
  const [node, outside, pods, remote] = await Promise.all(
    ROLES.map((role) => (role === "node" ? makeNode(role) : makeNetns(role))),
  );
  if (!node || !outside || !pods || !remote) throw new Error("a role without a namespace");
  await Promise.all([node, outside, pods, remote].map(({ agent }) => agent.sysctl(SETTINGS)));
  await node.agent.sysctl(FORWARDING);
  await link(node, "eth0", outside);
  await link(node, "eth1", remote);
  await link(node, podInterface, pods);
  await configureNode(node.name, podInterface);
  await configure(outside.name, ["addr add 192.0.2.1/24 dev eth0"]);
  await configure(remote.name, ["addr add 192.0.2.254/32 dev lo"]);
  await Promise.all([outside, pods, remote].map(({ name }) => configureAway(name)));
  return { node, outside, pods, remote, podInterface, placed: new Map() };
}

export async function removeTopology(topology: Topology): Promise<void> {
  await Promise.all(ROLES.map((role) => removeNetns(topology[role])));
}

/** Puts exactly these addresses and servers into the namespaces; those of before go. */
export async function place(topology: Topology, wanted: Readonly<Record<Role, Placement>>): Promise<void> {
  await Promise.all(ROLES.map((role) => topology[role].agent.listen([])));
  for (const role of ROLES) await placeAddresses(topology, role, wanted[role].addresses);
  await Promise.all(ROLES.map((role) => topology[role].agent.listen(wanted[role].listeners)));
}

async function placeAddresses(topology: Topology, role: Role, addresses: readonly string[]): Promise<void> {
  const before = topology.placed.get(role) ?? [];
  const fixed: readonly string[] = role === "node" ? [NODE.v4, NODE.v6] : [];
  const after = [...new Set(addresses)].filter((address) => !fixed.includes(address));
  const gone = before.filter((address) => !after.includes(address));
  const come = after.filter((address) => !before.includes(address));
  const device = role === "node" ? "eth0" : "lo";
  await configure(topology[role].name, [
    ...gone.map((address) => `addr del ${host(address)} dev ${device}`),
    ...come.map((address) => `addr add ${host(address)} dev ${device}${isV6(address) ? " nodad" : ""}`),
  ]);
  await configure(topology.node.name, [
    ...gone.flatMap((address) => routeTo(topology, role, address).map((route) => `route del ${route}`)),
    ...come.flatMap((address) => routeTo(topology, role, address).map((route) => `route replace ${route}`)),
  ]);
  topology.placed.set(role, after);
}

// What is behind eth1 has no routes of its own: it is the node's way to everywhere else.
function routeTo({ podInterface }: Topology, role: Role, address: string): readonly string[] {
  if (role === "node" || role === "remote") return [];
  const device = role === "pods" ? podInterface : "eth0";
  if (isV6(address)) return [`${host(address)} via ${LINK.peer} dev ${device}`];
  return role === "pods"
    ? [`${host(address)} dev ${device} src ${NODE.v4}`]
    : [`${host(address)} via 192.0.2.1 dev ${device}`];
}

async function link(node: Netns, name: string, peer: Netns): Promise<void> {
  await configure(node.name, [
    `link add ${name} type veth peer name eth0 netns ${peer.name}`,
    `addr add ${LINK.node}/64 dev ${name} nodad`,
    `link set ${name} up`,
  ]);
  await configure(peer.name, [`addr add ${LINK.peer}/64 dev eth0 nodad`, "link set eth0 up"]);
}

async function configureNode(name: string, podInterface: string): Promise<void> {
  await configure(name, [
    `addr add ${NODE.v4}/24 dev eth0`,
    `addr add ${NODE.v6}/64 dev eth0 nodad`,
    `route add default via 192.0.2.254 dev eth1 onlink src ${NODE.v4}`,
    `route add ::/0 via ${LINK.peer} dev eth1`,
    `route add 10.244.0.0/24 dev ${podInterface} src ${NODE.v4}`,
    `route add fd00:244::/64 via ${LINK.peer} dev ${podInterface}`,
  ]);
}

// All pods share a namespace, yet a pod must reach another, and itself, by way of the node; and a neighbour may even
// try the node's 127.0.0.1. So what is sent leaves by eth0 before anybody asks whether the destination is local.
async function configureAway(name: string): Promise<void> {
  await configure(name, [
    `route add default via ${NODE.v4} dev eth0 onlink table 100`,
    `route add ::/0 via ${LINK.node} dev eth0 table 100`,
    "route add fe80::/64 dev eth0 table 100",
  ]);
  const rules = ["rule add pref 10 iif lo lookup 100", "rule add pref 20 lookup local", "rule del pref 0"];
  await configure(name, rules, "-4");
  await configure(name, rules, "-6");
}

function host(address: string): string {
  return `${address}/${isV6(address) ? 128 : 32}`;
}

function isV6(address: string): boolean {
  return address.includes(":");
}
