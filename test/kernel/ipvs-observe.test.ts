// Is all of IPVS mode found, of one family and no more?
import t from "tap";
import { observeIpvs } from "../../src/kernel/ipvs-observe.ts";
import { carryOutIpvs } from "../../src/kernel/ipvs-step.ts";
import { machine } from "../../src/kernel/kernel.ts";
import type { IpvsStep } from "../../src/plan/plan.ts";
import { buildReal, buildServer, CLUSTER_IP } from "../support/build-ipvs.ts";
import { FakeIptables } from "../support/fake-iptables.ts";
import { ipvsKernel } from "../support/ipvs-kernel.ts";
import { IpvsMemory } from "../support/ipvs-memory.ts";
import { refusalOf } from "../support/refusal.ts";

const LOOK = { sets: [CLUSTER_IP.name, "KUBE-NOBODY"], device: "kube-ipvs0" };
const { realServers: _, ...SERVER } = buildServer("10.0.0.1", []);

const STEPS: readonly IpvsStep[] = [
  { kind: "bind", device: "kube-ipvs0", addresses: ["10.0.0.1", "fd00::1"] },
  { kind: "bind", device: "other0", addresses: ["10.0.0.2"] },
  {
    kind: "servers",
    changes: [
      { kind: "add-server", server: SERVER },
      { kind: "add-real", server: SERVER, real: buildReal("10.1.0.1") },
      { kind: "add-server", server: { ...SERVER, address: "fd00::1" } },
    ],
  },
  {
    kind: "sets",
    changes: [
      { kind: "create", set: CLUSTER_IP },
      { kind: "add", set: CLUSTER_IP, entries: ["10.0.0.1,tcp:80"] },
    ],
  },
];

t.test("an empty kernel has nothing", async (t) => {
  const nothing = { kind: "observed", sets: [], otherSets: [], servers: [], devices: [], addresses: [] };
  t.strictSame(await observeIpvs("IPv4", LOOK, new IpvsMemory()), nothing);
});

t.test("each family has its own addresses and servers, both the same interface", async (t) => {
  const memory = new IpvsMemory();
  for (const step of STEPS) await carryOutIpvs(step, memory);
  memory.connect("10.1.0.1", 8080, 3);
  t.match(await observeIpvs("IPv4", LOOK, memory), {
    sets: [{ ...CLUSTER_IP, entries: new Set(["10.0.0.1,tcp:80"]) }],
    servers: [{ ...SERVER, realServers: [{ address: "10.1.0.1", activeConnections: 3 }] }],
    devices: ["kube-ipvs0"],
    addresses: ["10.0.0.1"],
  });
  t.match(await observeIpvs("IPv6", { ...LOOK, sets: [] }, memory), {
    sets: [],
    servers: [{ address: "fd00::1" }],
    addresses: ["fd00::1"],
  });
});

t.test("an address of a network is somebody else's", async (t) => {
  const memory = new IpvsMemory();
  await carryOutIpvs({ kind: "bind", device: "kube-ipvs0", addresses: ["10.0.0.1"] }, memory);
  memory.bindNetwork("kube-ipvs0", "10.5.0.1", 24);
  t.strictSame((await observeIpvs("IPv4", LOOK, memory)).addresses, ["10.0.0.1"]);
});

t.test("a kernel without IPVS is refused, or has no servers where it may", async (t) => {
  const memory = new IpvsMemory();
  const absent = ipvsKernel({ absent: true });
  const access = {
    readProc: absent.readProc,
    converse: ((protocol, ...rest) =>
      (protocol === "generic" ? absent : memory).converse(protocol, ...rest)) as typeof memory.converse,
  };
  t.match(await refusalOf(observeIpvs("IPv4", LOOK, access)), { code: "ENOENT" });
  t.strictSame((await observeIpvs("IPv4", { ...LOOK, optional: true }, access)).servers, []);
  const kernel = machine(new FakeIptables().run, access);
  t.strictSame((await kernel.ipvs("IPv4", LOOK)).servers, []);
  const look = { sysctls: [], counters: [], ipvs: LOOK };
  t.match(await refusalOf(kernel.observe("IPv4", look)), { code: "ENOENT" });
});

t.test("the machine looks at tables, sets and servers at once, and does what it is told", async (t) => {
  const memory = new IpvsMemory();
  const kernel = machine(new FakeIptables().run, memory);
  const { done } = await kernel.apply({ steps: STEPS, kept: [] });
  t.equal(done.length, STEPS.length);
  const { ipvs } = await kernel.observe("IPv4", { sysctls: [], counters: [], ipvs: LOOK });
  t.strictSame(ipvs, await kernel.ipvs("IPv4", LOOK));
  t.match(ipvs, { addresses: ["10.0.0.1"] });
});
