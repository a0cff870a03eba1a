// IPVS mode on a real kernel that rejects single items, or has sets of our names that are none of ours.
import { readFileSync } from "node:fs";
import { execa } from "execa";
import t from "tap";
import type { Service, ServiceRecord } from "../../src/api/objects.ts";
import { buildEndpoint, buildRecord, buildService, buildSlice } from "../support/build.ts";
import { IpvsNode, SYNC_PERIOD } from "../support/ipvs-node.ts";
import { shownAddresses, shownServers, shownSets } from "../support/shown-ipvs.ts";

t.setTimeout(600_000);

function service(name: string, given: Partial<Service>, pod: string): ServiceRecord {
  const family = pod.includes(":") ? "IPv6" : "IPv4";
  const slice = buildSlice([buildEndpoint(pod)], { service: name, name: `${name}-1`, family });
  return buildRecord(buildService({ name, ...given }), slice);
}

async function operate(command: string): Promise<void> {
  await execa("sh", ["-c", command]);
}

async function clear(): Promise<void> {
  const tables = ["iptables -t nat", "iptables", "ip6tables -t nat", "ip6tables"];
  await operate(
    `${tables.map((table) => `${table} -F; ${table} -X`).join("; ")}; ipvsadm -C; ipset destroy; ip link del kube-ipvs0`,
  );
}

function refusals(node: IpvsNode): readonly string[] {
  return node.lines.flatMap((line) => / item="([^"]*)"/.exec(line)?.[1] ?? []);
}

t.test("an address that cannot be bound", async (t) => {
  const node = new IpvsNode({ family: "IPv6", clusterCIDRs: ["fd00:71::/64"] });
  const good = service("good", { clusterIP: "fd00:96::1", externalIPs: ["2001:db8::9"] }, "fd00:71::5");
  const bad = service("bad", { clusterIP: "fd00:96::2", externalIPs: ["ff02::9", "2001:db8::a"] }, "fd00:71::6");
  t.notOk((await node.show(bad, good)).failure, "is no failure");
  t.same(refusals(node), ["ff02::9"]);
  const server = (address: string, pod: string) => [
    `-A -t [${address}]:80 -s rr`,
    `-a -t [${address}]:80 -r [${pod}]:8080 -m -w 1`,
  ];
  const servers = [
    ...server("fd00:96::1", "fd00:71::5"),
    ...server("fd00:96::2", "fd00:71::6"),
    ...server("2001:db8::9", "fd00:71::5"),
    ...server("2001:db8::a", "fd00:71::6"),
  ].sort();
  t.same(await shownServers(), servers, "has no virtual server, all others have theirs");
  const addresses = ["2001:db8::9", "2001:db8::a", "fd00:96::1", "fd00:96::2"];
  t.same(
    await shownAddresses(),
    addresses.map((address) => `inet6 ${address}/128 scope global`),
  );
  const bound = (await shownSets()).filter((line) => line.startsWith("add KUBE-6-IPVS-IPS "));
  t.same(
    bound,
    addresses.map((address) => `add KUBE-6-IPVS-IPS ${address}`),
    "and counts as none of the mode's addresses",
  );
  await node.later(2_001);
  t.equal(refusals(node).length, 2, "is tried again after two seconds");
  await node.later(2_001);
  t.equal(refusals(node).length, 2, "then after twice as long");
  await node.later(2_001);
  t.equal(refusals(node).length, 3);
  t.same(await shownServers(), servers, "and nothing else is disturbed");
  await node.show(good);
  t.notOk((await node.look()).failure);
  t.equal(refusals(node).length, 3, "is forgotten with its Service");
  await node.stop();
  await clear();
});

t.test("an interface that takes no address for a time", async (t) => {
  const node = new IpvsNode({ family: "IPv6", clusterCIDRs: ["fd00:71::/64"] });
  await node.show();
  await operate("echo 1 >/proc/sys/net/ipv6/conf/kube-ipvs0/disable_ipv6");
  await node.show(service("good", { clusterIP: "fd00:96::1" }, "fd00:71::5"));
  t.same(refusals(node), ["fd00:96::1"]);
  t.same(await shownServers(), []);
  await operate("echo 0 >/proc/sys/net/ipv6/conf/kube-ipvs0/disable_ipv6");
  await node.later(SYNC_PERIOD + 1);
  t.same(await shownServers(), ["-A -t [fd00:96::1]:80 -s rr", "-a -t [fd00:96::1]:80 -r [fd00:71::5]:8080 -m -w 1"]);
  t.same(await shownAddresses(), ["inet6 fd00:96::1/128 scope global"]);
  t.equal((await node.look()).steps, 0);
  await node.stop();
  await clear();
});

t.test("a real server that IPVS does not take", async (t) => {
  const node = new IpvsNode();
  const bad = buildSlice([buildEndpoint("224.0.0.9"), buildEndpoint("10.71.1.5")]);
  await node.show(buildRecord(buildService(), bad), service("z", { clusterIP: "10.0.0.2" }, "10.71.1.6"));
  t.same(refusals(node), ["10.0.0.1:80/TCP to 224.0.0.9 8080"]);
  t.same(await shownServers(), [
    "-A -t 10.0.0.1:80 -s rr",
    "-A -t 10.0.0.2:80 -s rr",
    "-a -t 10.0.0.1:80 -r 10.71.1.5:8080 -m -w 1",
    "-a -t 10.0.0.2:80 -r 10.71.1.6:8080 -m -w 1",
  ]);
  t.equal((await node.later(1000)).failure, undefined);
  await node.stop();
  await clear();
});

t.test("a restart while the kernel rejects real servers removes nothing that serves", async (t) => {
  const services = (podOf: (number: number) => string) =>
    Array.from({ length: 60 }, (_, at) => service(`s${at}`, { clusterIP: `10.0.1.${at + 1}` }, podOf(at)));
  const first = new IpvsNode();
  await first.show(...services(() => "10.71.1.5"));
  await first.stop();
  const counts: (readonly [servers: number, reals: number])[] = [];
  const count = () => {
    const lines = readFileSync("/proc/net/ip_vs", "utf8").split("\n");
    const reals = lines.filter((line) => line.startsWith("  -> 0A470105"));
    counts.push([lines.filter((line) => line.startsWith("TCP ")).length, reals.length]);
  };
  const polls = setInterval(count, 5);
  const second = new IpvsNode();
  const rejected = new Set([3, 30, 57]);
  const report = await second.show(...services((number) => (rejected.has(number) ? "224.0.0.9" : "10.71.1.5")));
  clearInterval(polls);
  count();
  t.equal(report.failure, undefined);
  t.equal(refusals(second).length, rejected.size);
  t.equal(Math.min(...counts.map(([servers]) => servers)), 60, `virtual servers in ${counts.length} polls`);
  t.equal(Math.min(...counts.map(([, reals]) => reals)), 57, "real servers of all others");
  await second.stop();
  await clear();
});

const GOOD = ["-A -t 10.0.0.2:80 -s rr", "-a -t 10.0.0.2:80 -r 10.71.1.6:8080 -m -w 1"];

t.test("a set of ours that exists with another family while rules use it", async (t) => {
  const good = service("good", { clusterIP: "10.0.0.2" }, "10.71.1.6");
  const first = new IpvsNode();
  await first.show(good);
  await first.stop();
  // As an operator could: the name stays in use, for rules follow the set that has it.
  await operate("iptables -F KUBE-SERVICES -t nat; iptables -F KUBE-IPVS-FILTER; ipset destroy KUBE-CLUSTER-IP");
  await operate("ipset create KUBE-CLUSTER-IP hash:ip,port family inet6");
  await operate("iptables -A KUBE-IPVS-FILTER -m set --match-set KUBE-EXTERNAL-IP dst,dst -j RETURN");
  const rules = async () => (await execa("iptables-save", ["-t", "filter"])).stdout.replace(/^[#:].*$/gm, "");
  const [before, addresses] = [await rules(), await shownAddresses()];
  const node = new IpvsNode();
  t.match((await node.show(good)).failure, { step: "sets", code: "EEXIST" }, "fails the sync");
  const errors = node.lines.filter((line) => /^E/.test(line));
  t.equal(errors.length, 1);
  t.match(errors[0], /KUBE-CLUSTER-IP \(family inet6, expected inet\).*fairlead cleanup/);
  t.ok((await node.look()).failure, "as long as it exists");
  t.equal(await rules(), before, "no rule is written");
  t.same([await shownServers(), await shownAddresses()], [GOOD, addresses], "and nothing that serves is removed");
  await operate("ipset destroy KUBE-CLUSTER-IP");
  t.notOk((await node.look()).failure);
  t.ok((await shownSets()).includes("add KUBE-CLUSTER-IP 10.0.0.2,tcp:80"));
  await node.stop();
  await clear();
});

t.test("a set of ours with another type, and one with another size", async (t) => {
  await operate("ipset create KUBE-CLUSTER-IP hash:net && ipset create KUBE-NODE-PORT-TCP bitmap:port range 0-1023");
  const node = new IpvsNode();
  const good = service("good", { clusterIP: "10.0.0.2" }, "10.71.1.6");
  t.match((await node.show(good)).failure, { step: "sets", code: "EEXIST" });
  t.match(node.lines.join("\n"), /KUBE-CLUSTER-IP \(type hash:net, expected hash:ip,port\)/);
  t.notOk(
    (await shownSets()).some((line) => line.startsWith("create KUBE-IPVS-IPS")),
    "no other set is created",
  );
  await operate("ipset destroy KUBE-CLUSTER-IP && ipset create KUBE-CLUSTER-IP hash:ip,port maxelem 9");
  t.notOk((await node.look()).failure, "a size is changed");
  const sets = await shownSets();
  t.ok(sets.includes("add KUBE-CLUSTER-IP 10.0.0.2,tcp:80"));
  t.notMatch(sets.join("\n"), /maxelem 9\b|range 0-1023|SCRATCH/);
  await node.stop();
  await clear();
});
