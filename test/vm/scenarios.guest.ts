// What becomes of servers, weights and connections while Services and operators change them?
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import t, { type Test } from "tap";
import type { ApiEndpoint, Service, ServiceRecord } from "../../src/api/objects.ts";
import { buildEndpoint, buildPort, buildRecord, buildService, buildSlice } from "../support/build.ts";
import { askByDatagram, HeldConnection } from "../support/held-connection.ts";
import { IpvsNode, makeNode, POD_PORT, PODS } from "../support/ipvs-node.ts";
import { shownAddresses, shownServers, shownSets } from "../support/shown-ipvs.ts";

t.setTimeout(600_000);

const TICK = 60_000;

const VIP = "10.96.1.1";
const HERE = `-a -t ${VIP}:80 -r ${PODS.here}:${POD_PORT} -m -w`;
const ELSEWHERE = `-a -t ${VIP}:80 -r ${PODS.elsewhere}:${POD_PORT} -m -w`;

const node = await makeNode();
t.teardown(() => node.end());

/** Service `ns/NAME` with these pods behind it. */
function service(given: Partial<Service>, ...pods: readonly (string | ApiEndpoint)[]): ServiceRecord {
  const made = buildService({ clusterIP: VIP, ...given });
  const endpoints = pods.map((pod) => (typeof pod === "string" ? buildEndpoint(pod) : pod));
  const ports = made.ports.map(({ name, protocol }) => ({ name, protocol, port: POD_PORT }));
  return buildRecord(made, buildSlice(endpoints, { service: made.name, name: `${made.name}-1`, ports }));
}

/** A node of its own for one test. All that it brought into the kernel goes with it. */
async function startNode(t: Test, options: ConstructorParameters<typeof IpvsNode>[0] = {}): Promise<IpvsNode> {
  const started = new IpvsNode(options);
  t.teardown(() => started.stop());
  return started;
}

async function operate(command: string): Promise<void> {
  await execa("sh", ["-c", command]);
}

/** Connections to the virtual server, one behind the other. */
async function open(count: number): Promise<readonly HeldConnection[]> {
  const held: HeldConnection[] = [];
  for (let each = 0; each < count; each++) held.push(await HeldConnection.open(VIP, 80));
  return held;
}

async function answers(held: readonly HeldConnection[]): Promise<readonly string[]> {
  const all: string[] = [];
  for (const each of held) all.push(await each.ask());
  return all;
}

/** Connections end when the kernel forgets them, which it does a second after the next packet. */
async function end(held: readonly HeldConnection[]): Promise<void> {
  await operate("ipvsadm --set 1 1 1");
  await answers(held);
  // Behind the weight stand the connections, active and not.
  const isBusy = () =>
    /^ {2}-> .* \d+ +([1-9]\d* +\d+|\d+ +[1-9]\d*) *$/m.test(readFileSync("/proc/net/ip_vs", "utf8"));
  for (let tries = 0; tries < 200 && isBusy(); tries++) await sleep(100);
  for (const each of held) each.drop();
  await operate("ipvsadm --set 900 120 300");
}

t.test("affinity comes and goes without a touch to real servers", async (t) => {
  const node = await startNode(t);
  const plain = service({}, PODS.here, PODS.elsewhere);
  const sticky = service({ affinitySeconds: 600 }, PODS.here, PODS.elsewhere);
  await node.show(plain);
  const held = await open(2);
  t.same(new Set(await answers(held)), new Set([PODS.here, PODS.elsewhere]), "one connection to each");
  await operate(`ipvsadm -e -t ${VIP}:80 -r ${PODS.here}:${POD_PORT} -m -w 7`);
  await node.show(sticky);
  t.same(await shownServers(), [`-A -t ${VIP}:80 -s rr -p 600`, `${HERE} 7`, `${ELSEWHERE} 1`]);
  await node.show(plain);
  t.same(await shownServers(), [`-A -t ${VIP}:80 -s rr`, `${HERE} 7`, `${ELSEWHERE} 1`]);
  t.same(new Set(await answers(held)), new Set([PODS.here, PODS.elsewhere]), "connections live on");
  await end(held);
});

t.test("an operator's weight stays until a restart", async (t) => {
  const node = await startNode(t);
  const both = service({}, PODS.here, PODS.elsewhere);
  await node.show(both);
  t.same(await shownServers(), [`-A -t ${VIP}:80 -s rr`, `${HERE} 1`, `${ELSEWHERE} 1`], "a start mends it");
  await operate(`ipvsadm -e -t ${VIP}:80 -r ${PODS.here}:${POD_PORT} -m -w 7`);
  t.equal((await node.look()).steps, 0, "a look finds nothing to do");
  await operate(`ipvsadm -e -t ${VIP}:80 -r ${PODS.elsewhere}:${POD_PORT} -m -w 0`);
  t.equal((await node.look()).steps, 0, "nor over a weight of nothing");
  t.same(await shownServers(), [`-A -t ${VIP}:80 -s rr`, `${HERE} 7`, `${ELSEWHERE} 0`]);
  await node.stop();
  await (await startNode(t)).show(both);
  t.same(await shownServers(), [`-A -t ${VIP}:80 -s rr`, `${HERE} 1`, `${ELSEWHERE} 1`], "until the next start");
});

t.test("a pod that leaves keeps its connections, over a restart, and comes back to them", async (t) => {
  const node = await startNode(t);
  const both = service({}, PODS.here, PODS.elsewhere);
  const one = service({}, PODS.here);
  await node.show(both);
  const held = await open(6);
  const before = await answers(held);
  t.equal(before.filter((pod) => pod === PODS.elsewhere).length, 3, "three connections to it");
  await node.show(one);
  const drained = [`-A -t ${VIP}:80 -s rr`, `${HERE} 1`, `${ELSEWHERE} 0`];
  t.same(await shownServers(), drained);
  t.same(await answers(held), before, "each connection still has its pod");
  const fresh = await open(3);
  t.same(await answers(fresh), [PODS.here, PODS.here, PODS.here], "no new one goes to it");
  await node.later(2 * TICK);
  t.same(await shownServers(), drained, "looks find connections and leave it");
  await node.show(both);
  t.same(await shownServers(), [`-A -t ${VIP}:80 -s rr`, `${HERE} 1`, `${ELSEWHERE} 1`], "back again");
  t.same(await answers(held), before);
  await node.show(one);
  await node.stop();
  const next = await startNode(t);
  await next.show(one);
  t.same(await shownServers(), drained, "a restart goes on waiting");
  t.same(await answers(held), before);
  await end([...held, ...fresh]);
  t.same(await shownServers(), drained, "the connections have ended");
  await next.later(TICK);
  t.same(await shownServers(), [`-A -t ${VIP}:80 -s rr`, `${HERE} 1`], "the next look takes it away");
});

t.test("pods that all leave and still serve stay", async (t) => {
  const node = await startNode(t);
  const leaving = { ready: false, serving: true, terminating: true };
  await node.show(service({}, PODS.here, PODS.elsewhere));
  await node.show(service({}, ...Object.values(PODS).map((pod) => buildEndpoint(pod, leaving))));
  t.same(await shownServers(), [`-A -t ${VIP}:80 -s rr`, `${HERE} 1`, `${ELSEWHERE} 1`]);
});

t.test("a pod without connections, or asked for datagrams, goes at once", async (t) => {
  const node = await startNode(t);
  const ports = [buildPort({ name: "tcp", port: 80 }), buildPort({ name: "udp", protocol: "UDP", port: 53 })];
  await node.show(service({ ports }, PODS.here, PODS.elsewhere));
  t.same(new Set([await askByDatagram(VIP, 53), await askByDatagram(VIP, 53)]), new Set(Object.values(PODS)));
  await node.show(service({ ports }, PODS.here));
  t.same(await shownServers(), [
    `-A -t ${VIP}:80 -s rr`,
    `-A -u ${VIP}:53 -s rr`,
    `${HERE} 1`,
    `-a -u ${VIP}:53 -r ${PODS.here}:${POD_PORT} -m -w 1`,
  ]);
});

t.test("another scheduler over a restart breaks no connection", async (t) => {
  const sticky = service({ affinitySeconds: 600 }, PODS.here, PODS.elsewhere);
  const reals = [`${HERE} 1`, `${ELSEWHERE} 1`];
  const ipvs = { strictARP: false, excludeCIDRs: [] };
  const lines = [
    { scheduler: "rr", line: `-A -t ${VIP}:80 -s rr -p 600` },
    { scheduler: "mh", line: `-A -t ${VIP}:80 -s mh -p 600 -b mh-port` },
    { scheduler: "sh", line: `-A -t ${VIP}:80 -s sh -p 600` },
  ];
  let held: readonly HeldConnection[] = [];
  for (const { scheduler, line } of lines) {
    const node = await startNode(t, { ipvs: { ...ipvs, scheduler } });
    await node.show(sticky);
    t.same(await shownServers(), [line, ...reals], scheduler);
    held = held.length > 0 ? held : await open(1);
    t.match(await answers(held), [/^10\.71\./], "the connection lives");
    await node.stop();
  }
  await end(held);
});

t.test("what others made goes, unless it is spared", async (t) => {
  const ipvs = { scheduler: "rr", strictARP: false, excludeCIDRs: ["10.50.0.0/16"] };
  const node = await startNode(t, { ipvs });
  const one = service({}, PODS.here);
  await node.show(one);
  await operate(`
    ipvsadm -A -t 10.50.0.1:80 -s wlc && ipvsadm -a -t 10.50.0.1:80 -r 10.50.0.2 -m -w 3
    ipvsadm -A -t 10.51.0.1:80 -s rr
    ipvsadm -A -f 7 -s rr
    ipvsadm -a -t ${VIP}:80 -r 10.71.9.9:8080 -m
    ip addr add 10.60.0.1/32 dev kube-ipvs0
    ip addr add 10.61.0.1/24 dev kube-ipvs0
    ipset add KUBE-CLUSTER-IP 10.60.0.1,tcp:80
    ipset create OTHERS hash:ip && ipset add OTHERS 10.60.0.1`);
  const report = await node.look();
  t.notOk(report.failure);
  t.same(await shownServers(), [
    "-A -f 7 -s rr",
    "-A -t 10.50.0.1:80 -s wlc",
    `-A -t ${VIP}:80 -s rr`,
    "-a -t 10.50.0.1:80 -r 10.50.0.2:80 -m -w 3",
    `${HERE} 1`,
  ]);
  t.same(await shownAddresses(), [
    "inet 10.61.0.1/24 scope global kube-ipvs0",
    `inet ${VIP}/32 scope global kube-ipvs0`,
  ]);
  const entries = (await shownSets()).filter((line) => line.startsWith("add "));
  t.same(entries, [`add KUBE-CLUSTER-IP ${VIP},tcp:80`, `add KUBE-IPVS-IPS ${VIP}`, "add OTHERS 10.60.0.1"]);
  t.equal((await node.look()).steps, 0, "and that is all there is to do");
  await operate(
    "ipvsadm -D -f 7; ipvsadm -D -t 10.50.0.1:80; ip addr del 10.61.0.1/24 dev kube-ipvs0; ipset destroy OTHERS",
  );
});

t.test("what somebody takes away is back within a sync period", async (t) => {
  const node = await startNode(t);
  const both = service({ ports: [buildPort({ nodePort: 31080 })], type: "NodePort" }, PODS.here, PODS.elsewhere);
  const show = async () => [await shownServers(), await shownSets(), await shownAddresses()];
  await node.show(both);
  const whole = await show();
  await operate("ipvsadm -C; ip link del kube-ipvs0; ipset flush");
  t.notOk((await node.look()).failure);
  t.strictSame(await show(), whole, "servers, entries, addresses");
  await operate("iptables -t nat -F; iptables -F; ip6tables -F; ipset destroy");
  t.notOk((await node.look()).failure);
  t.strictSame(await show(), whole, "sets too");
  t.equal((await node.look()).steps, 0);
});

t.test("a load balancer that is deleted is gone at once, with live connections", async (t) => {
  const node = await startNode(t);
  const one = service({ clusterIP: "10.96.1.9", name: "other" }, PODS.here);
  const ports = [buildPort({ nodePort: 31443 })];
  const balancer = service({ type: "LoadBalancer", ports, ingressVIPs: ["203.0.113.5"] }, PODS.here);
  await node.show(one);
  const rules = () => execa("iptables-save", ["-t", "nat"]).then(({ stdout }) => stdout.replace(/^[#:].*$/gm, ""));
  const before = [await shownServers(), await shownSets(), await shownAddresses(), await rules()];
  await node.show(one, balancer);
  for (const set of ["KUBE-LOAD-BALANCER dst,dst", "KUBE-NODE-PORT-TCP dst"]) t.match(await rules(), set);
  t.equal((await shownServers()).filter((line) => line.startsWith("-A")).length, 1 + 4);
  const held = await open(1);
  t.same(await answers(held), [PODS.here]);
  await node.show(one);
  t.strictSame([await shownServers(), await shownSets(), await shownAddresses(), await rules()], before);
  for (const each of held) each.drop();
});

t.test("what two Services share goes with the last of them", async (t) => {
  const node = await startNode(t);
  const shared = "198.18.0.9";
  const first = (port: number) =>
    service({ name: "a", clusterIP: "10.96.2.1", externalIPs: [shared], ports: [buildPort({ port })] }, PODS.here);
  const second = (port: number) =>
    service({ name: "b", clusterIP: "10.96.2.2", externalIPs: [shared], ports: [buildPort({ port })] }, PODS.elsewhere);
  const at = (lines: readonly string[]) => lines.filter((line) => line.includes(shared));
  const real = (port: number, pod: string) => `-a -t ${shared}:${port} -r ${pod}:${POD_PORT} -m -w 1`;
  const address = [`inet ${shared}/32 scope global kube-ipvs0`];

  await node.show(first(80), second(81));
  t.same(at(await shownServers()).length, 4, "two ports of one address are two servers");
  await node.show(second(81));
  t.same(at(await shownServers()), [`-A -t ${shared}:81 -s rr`, real(81, PODS.elsewhere)]);
  t.same(at(await shownAddresses()), address, "the address is wanted still");
  t.same(at(await shownSets()), [`add KUBE-EXTERNAL-IP ${shared},tcp:81`, `add KUBE-IPVS-IPS ${shared}`]);

  await node.show(first(81), second(81));
  t.same(at(await shownServers()), [`-A -t ${shared}:81 -s rr`, real(81, PODS.elsewhere)], "the last in order has it");
  t.equal((await node.look()).steps, 0, "and nobody fights");
  await node.show(first(81));
  t.same(at(await shownServers()), [`-A -t ${shared}:81 -s rr`, real(81, PODS.here)], "then the other");
  t.same(at(await shownSets()), [`add KUBE-EXTERNAL-IP ${shared},tcp:81`, `add KUBE-IPVS-IPS ${shared}`]);
  await node.show();
  t.same(at([...(await shownServers()), ...(await shownSets()), ...(await shownAddresses())]), [], "then nobody");
});

t.test("what only has another name is left alone", async (t) => {
  const node = await startNode(t);
  const web = (name: string, port: string) =>
    service({ name, type: "NodePort", ports: [buildPort({ name: port, nodePort: 31080 })] }, PODS.here);
  await node.show(web("web", "http"));
  t.equal((await node.show(web("web", "www"))).steps, 0, "a port");
  t.equal((await node.show(web("shop", "www"))).steps, 0, "a Service that takes the place of another");
});

t.test("SCTP reaches a pod", async (t) => {
  const node = await startNode(t);
  await node.show(service({ ports: [buildPort({ protocol: "SCTP", port: 36412 })] }, PODS.here));
  // Node has no sockets of this protocol.
  const server = `socket(S, AF_INET, SOCK_STREAM, 132) && bind(S, pack_sockaddr_in(${POD_PORT}, INADDR_ANY)) && listen(S, 1)
    or die $!; $| = 1; print "listening\\n"; accept(C, S) or die $!; syswrite C, "here"; close C`;
  const client = `socket(S, AF_INET, SOCK_STREAM, 132) && connect(S, pack_sockaddr_in(36412, inet_aton("${VIP}")))
    or die $!; sysread S, $answer, 9; print $answer`;
  const pod = execa("nsenter", ["--net=/run/netns/pods", "perl", "-MSocket", "-e", server], { timeout: 60_000 });
  await once(pod.stdout, "data");
  const { stdout } = await execa("perl", ["-MSocket", "-e", client], { timeout: 60_000 });
  t.equal(stdout, "here");
  await pod;
});
