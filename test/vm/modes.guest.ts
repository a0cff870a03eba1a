// Does a node that changes its mode keep every connection, and take every new one at every moment?
import { writeFileSync } from "node:fs";
import { execa } from "execa";
import t, { type Test } from "tap";
import { Daemon } from "../support/daemon.ts";
import { guestProgram } from "../support/guest-program.ts";
import { configure } from "../support/netns.ts";
import { type At, Talker } from "../support/talker.ts";

t.setTimeout(600_000);

const NODE = { path: "/run/netns/node" };

const CLUSTER = `apiVersion: v1
kind: Node
metadata: {name: alpha}
status: {addresses: [{type: InternalIP, address: 192.0.2.10}, {type: InternalIP, address: "fd00:2::10"}]}
---
apiVersion: v1
kind: Service
metadata: {namespace: shop, name: web}
spec:
  type: NodePort
  clusterIP: 10.96.1.1
  clusterIPs: [10.96.1.1, "fd00:96::1"]
  ipFamilies: [IPv4, IPv6]
  ports: [{protocol: TCP, port: 80, nodePort: 31080}]
---
apiVersion: v1
kind: Service
metadata: {namespace: shop, name: idle}
spec: {type: ClusterIP, clusterIP: 10.96.1.2, clusterIPs: [10.96.1.2], ports: [{protocol: TCP, port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {namespace: shop, name: names}
spec: {type: ClusterIP, clusterIP: 10.96.1.3, clusterIPs: [10.96.1.3], ports: [{protocol: UDP, port: 53}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {namespace: shop, name: names-1, labels: {kubernetes.io/service-name: names}}
addressType: IPv4
ports: [{name: "", protocol: UDP, port: 8080}]
endpoints: [{addresses: [10.71.1.5]}]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {namespace: shop, name: web-1, labels: {kubernetes.io/service-name: web}}
addressType: IPv4
ports: [{name: "", protocol: TCP, port: 8080}]
endpoints: [{addresses: [10.71.1.5]}, {addresses: [10.71.1.6]}]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {namespace: shop, name: web-2, labels: {kubernetes.io/service-name: web}}
addressType: IPv6
ports: [{name: "", protocol: TCP, port: 8080}]
endpoints: [{addresses: ["fd00:71::5"]}]
`;

const CONFIG = `apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clusterCIDR: 10.71.0.0/16,fd00:71::/64
hostnameOverride: alpha
conntrack: {maxPerCore: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
ipvs: {strictARP: true, tcpTimeout: 800s, tcpFinTimeout: 60500ms}
`;

const NETWORK: Readonly<Record<string, readonly string[]>> = {
  node: [
    "link set lo up",
    "link add eth0 type veth peer name eth0 netns client",
    "link add cni0 type veth peer name eth0 netns pods",
    "addr add 192.0.2.10/24 dev eth0",
    "addr add fd00:2::10/64 dev eth0 nodad",
    "addr add 10.71.0.1/16 dev cni0",
    "addr add fd00:71::1/64 dev cni0 nodad",
    "link set eth0 up",
    "link set cni0 up",
    // As on any node, something is a way to Services' addresses.
    "route add default via 192.0.2.1",
    "route add ::/0 via fd00:2::1",
  ],
  client: [
    "link set lo up",
    "addr add 192.0.2.1/24 dev eth0",
    "addr add fd00:2::1/64 dev eth0 nodad",
    "link set eth0 up",
    "route add 10.96.0.0/16 via 192.0.2.10",
    "route add fd00:96::/64 via fd00:2::10",
  ],
  pods: [
    "link set lo up",
    "addr add 10.71.1.5/16 dev eth0",
    "addr add 10.71.1.6/16 dev eth0",
    "addr add fd00:71::5/64 dev eth0 nodad",
    "link set eth0 up",
    "route add default via 10.71.0.1",
    "route add ::/0 via fd00:71::1",
  ],
};

const VIP: At = { address: "10.96.1.1", port: 80 };
const VIP6: At = { address: "fd00:96::1", port: 80 };
const NODE_PORT: At = { address: "192.0.2.10", port: 31_080 };
const ENDPOINTS: readonly At[] = ["10.71.1.5", "10.71.1.6", "fd00:71::5"].map((address) => ({ address, port: 8080 }));

/** What is seen of the node, from outside it and from itself. */
interface Clients {
  readonly client: Talker;
  readonly node: Talker;
}

async function say(command: string): Promise<string> {
  return (await execa("nsenter", [`--net=${NODE.path}`, "sh", "-c", command])).stdout;
}

async function makeClients(t: Test): Promise<Clients> {
  for (const name of Object.keys(NETWORK)) await execa("ip", ["netns", "add", name]);
  for (const [name, lines] of Object.entries(NETWORK)) await configure(name, lines);
  await say("sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1");
  const [client, node, pods] = ["client", "node", "pods"].map((name) => new Talker(`/run/netns/${name}`));
  if (!client || !node || !pods) throw new Error("a namespace without a process");
  for (const at of ENDPOINTS) await pods.serve(at);
  t.teardown(() => Promise.all([client, node, pods].map((talker) => talker.stop())));
  return { client, node };
}

function run(t: Test, ...flags: readonly string[]): Daemon {
  const daemon = new Daemon(["run", "--config", "/run/config.yaml", ...flags], NODE, process.env, guestProgram());
  t.teardown(() => daemon.kill());
  return daemon;
}

/** Starts the program in this mode, and waits until the rules of both families are in. */
async function start(t: Test, mode: "iptables" | "ipvs"): Promise<Daemon> {
  writeFileSync("/run/cluster.yaml", CLUSTER);
  writeFileSync("/run/config.yaml", `${CONFIG}mode: ${mode}\n`);
  const daemon = run(t, "--manifests", "/run/cluster.yaml");
  for (const family of ["IPv4", "IPv6"]) await daemon.said(new RegExp(`SyncProxyRules complete" ipFamily="${family}"`));
  return daemon;
}

/** Connections from outside to each kind of address, and from the node itself. */
const KINDS: readonly (readonly [from: keyof Clients, name: string, at: At])[] = [
  ["client", "a cluster IP", VIP],
  ["client", "a cluster IP of IPv6", VIP6],
  ["client", "a nodePort", NODE_PORT],
  ["node", "a cluster IP, from the node itself", VIP],
  ["node", "a cluster IP of IPv6, from the node itself", VIP6],
];

/** One that lasts, too, but ends nowhere: IPVS must not be kept for it. */
const DATAGRAMS = [
  "client",
  "a cluster IP, by datagrams",
  { protocol: "udp", address: "10.96.1.3", port: 53 },
] as const;

const LASTING = [...KINDS, DATAGRAMS];

async function openAll(t: Test, clients: Clients, when: string): Promise<void> {
  for (const [from, name, at] of LASTING) {
    t.match(await clients[from].open(`${when} ${name}`, at), /^(10\.71\.1\.|fd00:71::5)/, `${when}: ${name}`);
  }
}

async function talkAll(t: Test, clients: Clients, opened: string, now: string): Promise<void> {
  for (const [from, name] of LASTING) {
    t.match(await clients[from].talk(`${opened} ${name}`), /^(10\.71\.1\.|fd00:71::5)/, `${now}: still ${name}`);
  }
}

async function beginAll(clients: Clients): Promise<void> {
  for (const [from, name, at] of KINDS) await clients[from].begin(name, at);
}

async function endAll(t: Test, clients: Clients): Promise<void> {
  for (const [from, name] of KINDS) {
    const { count, failures } = await clients[from].end(name);
    t.ok(count > 10, `${count} connections to ${name}`);
    t.strictSame(failures, [], `all of those to ${name} went well`);
  }
}

t.test("from IPVS mode to iptables mode, and back", async (t) => {
  const clients = await makeClients(t);
  const ipvs = await start(t, "ipvs");
  t.match(await say("ipvsadm -L --timeout"), /: 800 60 300$/, "IPVS has the time-outs that were asked for");
  t.equal(await say("sysctl -n net.ipv4.conf.all.arp_ignore net.ipv4.conf.all.arp_announce"), "1\n2", "and strict ARP");
  await openAll(t, clients, "through IPVS");
  await beginAll(clients);
  t.equal(await ipvs.stop(), 0);
  // Of other software. IPVS mode itself removes virtual servers that no Service has, within seconds, as kube-proxy does.
  await say("ipvsadm -A -t 192.0.2.10:9999 -s rr; ipset create SOMEBODY hash:ip");
  await talkAll(t, clients, "through IPVS", "nobody there");
  const iptables = await start(t, "iptables");
  await iptables.said(/Waiting for connections/);
  await talkAll(t, clients, "through IPVS", "in iptables mode");
  await endAll(t, clients);
  await openAll(t, clients, "through rules");
  t.match(await say("ipvsadm -Sn"), /-A -t 10\.96\.1\.1:80/, "connections keep their virtual server");
  t.notMatch(await say("ipvsadm -Sn; ip -br addr"), /10\.96\.1\.2|10\.96\.1\.3/, "others went at once");

  for (const [from, name] of KINDS) await clients[from].close(`through IPVS ${name}`);
  await iptables.said(/Waiting for connections .*" waiting="fd00:96::1"/);
  t.equal(await say("ipvsadm -Sn"), "-A -t 192.0.2.10:9999 -s rr", "somebody else's virtual server is left");
  await talkAll(t, clients, "through rules", "without IPVS");
  for (const [from, name] of KINDS) if (from === "node") await clients[from].close(`through rules ${name}`);
  await iptables.said(/Nothing of another mode is left/);
  t.equal(await say("ipset list -n"), "SOMEBODY");
  t.notMatch(await say("ip -br link"), /kube-ipvs0/);
  t.notMatch(await say("iptables-save; ip6tables-save"), /KUBE-(IPVS|LOAD-BALANCER|NODE-PORT)|match-set/);
  t.match(await clients.client.talk(`through IPVS ${DATAGRAMS[1]}`), /^10\.71\.1\.5/, "the flow of datagrams lives on");
  t.equal(await say("ipvsadm -Sn"), "-A -t 192.0.2.10:9999 -s rr");
  for (const [from, name, at] of KINDS) if (from === "node") await clients[from].open(`through rules ${name}`, at);

  await beginAll(clients);
  t.equal(await iptables.stop(), 0);
  const again = await start(t, "ipvs");
  await talkAll(t, clients, "through rules", "in IPVS mode again");
  await endAll(t, clients);
  await openAll(t, clients, "through IPVS again");
  t.notMatch(await say("iptables-save; ip6tables-save"), /KUBE-(SVC|SEP|EXT)-/);
  t.match(await say("ipvsadm -Lnc"), /ESTABLISHED 192\.0\.2\.1:.*10\.96\.1\.1:80/);
  t.equal(await again.stop(), 0);

  t.equal((await run(t, "--cleanup").finish()).code, 0);
  t.equal(await say("ipvsadm -Sn; ipset list -n"), "SOMEBODY", "clean-up leaves no virtual server, and no set of ours");
  t.notMatch(await say("ip -br link; iptables-save; ip6tables-save"), /kube-ipvs0|KUBE-(SERVICES|IPVS)/);
});
