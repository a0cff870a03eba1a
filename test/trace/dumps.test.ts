// Traces packets through dumps of nodes with rules of other programs (docker, flannel, Calico).
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import type { Packet } from "../../src/trace/packet.ts";
import { type Ruleset, rulesetOfDump } from "../../src/trace/ruleset.ts";
import { walk } from "../../src/trace/walk/hooks.ts";
import { FIXTURES } from "../support/golden.ts";
import { buildPacket, printEnds } from "../support/one-rule.ts";

const SERVERS = [
  "-A -t 10.96.0.80:80 -s rr",
  "-a -t 10.96.0.80:80 -r 10.244.0.7:8080 -m -w 1",
  "-a -t 10.96.0.80:80 -r 10.244.1.7:8080 -m -w 1",
  "",
].join("\n");

function fieldOf(name: string): Ruleset {
  const read = (file: string) => {
    const path = join(FIXTURES, "dumps", file);
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  };
  return rulesetOfDump({
    family: "IPv4",
    tables: read(`${name}.v4.save`),
    sets: read(`${name}.ipset`),
    servers: name === "kube-proxy-ipvs" ? SERVERS : "",
    addresses: [{ interface: "eth0", address: "192.0.2.10" }],
  });
}

const from = (source: string, inInterface: string): Partial<Packet> => ({
  origin: { kind: "arrives", source, inInterface },
});
const OUTSIDE = from("198.18.0.9", "eth0");
const POD = from("10.244.0.5", "cni0");
const NODE: Partial<Packet> = { origin: { kind: "node" } };
const SERVICE = { destination: "10.96.0.80", destinationPort: 80 };
const SSH = { destination: "192.0.2.10", destinationPort: 22 };
const NODE_PORT = { destination: "192.0.2.10", destinationPort: 31_080 };

const thirds = (source: string) =>
  ["10.244.0.7", "10.244.1.7", "10.244.2.7"].map((real) => `network ${real} 8080 from ${source} 1/3 (33.3 %)`);
const halves = (source: string) =>
  ["10.244.0.7", "10.244.1.7"].map((real) => `network ${real} 8080 from ${source} 1/2 (50 %)`);

type Row = readonly [dump: string, packet: Partial<Packet>, ends: readonly string[]];

const VERSIONS = ["1.20", "1.24", "1.27", "1.30", "1.36"].flatMap((version): Row[] => [
  [`kube-proxy-${version}`, { ...OUTSIDE, ...SERVICE }, thirds("192.0.2.10")],
  [`kube-proxy-${version}`, { ...POD, ...SERVICE }, thirds("10.244.0.5")],
  [`kube-proxy-${version}`, { ...NODE, ...SERVICE }, thirds("192.0.2.10")],
  [`kube-proxy-${version}`, { ...OUTSIDE, ...NODE_PORT }, thirds("192.0.2.10")],
  [
    `kube-proxy-${version}`,
    { ...OUTSIDE, destination: "10.96.0.90", destinationPort: 80 },
    ["rejected icmp-port-unreachable"],
  ],
]);

const ROWS: readonly Row[] = [
  ...VERSIONS,
  ["kube-proxy-ipvs", { ...OUTSIDE, ...SERVICE }, halves("192.0.2.10")],
  ["kube-proxy-ipvs", { ...POD, ...SERVICE }, halves("10.244.0.5")],
  ["kube-proxy-ipvs", { ...NODE, ...SERVICE }, halves("192.0.2.10")],
  ["kube-proxy-ipvs", { ...OUTSIDE, ...SERVICE, destinationPort: 81 }, ["rejected icmp-port-unreachable"]],
  ["kubelet-1.24", { ...OUTSIDE, ...SSH }, ["node 192.0.2.10 22 from 198.18.0.9"]],
  ["docker", { ...OUTSIDE, ...SSH }, ["node 192.0.2.10 22 from 198.18.0.9"]],
  ["docker", { ...OUTSIDE, destination: "10.9.9.9" }, ["dropped by policy of filter FORWARD"]],
  ["docker-swarm", { ...OUTSIDE, ...SSH }, ["node 192.0.2.10 22 from 198.18.0.9"]],
  ["flannel", { ...POD, destination: "10.9.9.9" }, ["network 10.9.9.9 8080 from 192.0.2.10"]],
  ["flannel", { ...POD, destination: "10.244.1.7" }, ["network 10.244.1.7 8080 from 10.244.0.5"]],
  ["calico", { ...OUTSIDE, ...SSH }, ["node 192.0.2.10 22 from 198.18.0.9"]],
  ["cilium", { ...OUTSIDE, destination: "10.9.9.9" }, ["network 10.9.9.9 8080 from 198.18.0.9"]],
  ["firewalld", { ...OUTSIDE, ...SSH }, ["node 192.0.2.10 22 from 198.18.0.9"]],
  ["firewalld", { ...OUTSIDE, ...SSH, destinationPort: 23 }, ["rejected icmp-host-prohibited"]],
  ["ufw", { ...OUTSIDE, ...SSH }, ["node 192.0.2.10 22 from 198.18.0.9"]],
  ["ufw", { ...OUTSIDE, ...SSH, destinationPort: 23 }, ["dropped by policy of filter INPUT"]],
  ["ufw", { ...OUTSIDE, destination: "10.9.9.9" }, ["dropped by policy of filter FORWARD"]],
  ["istio-pod", { ...OUTSIDE, ...SSH, destinationPort: 8080 }, ["node 192.0.2.10 15006 from 198.18.0.9"]],
];

for (const [dump, given, ends] of ROWS) {
  const packet = buildPacket(given);
  const { kind } = packet.origin;
  t.test(`${dump}: ${kind} for ${packet.destination}:${packet.destinationPort}`, async (t) => {
    t.strictSame(printEnds(walk(fieldOf(dump), packet).outcomes), ends);
  });
}
