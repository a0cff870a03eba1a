// What does each step of IPVS mode leave in the kernel, and what if some of it is refused?
import t from "tap";
import { ALL_WELL, carryOutIpvs } from "../../src/kernel/ipvs-step.ts";
import type { IpvsStep } from "../../src/plan/plan.ts";
import { buildReal, buildServer, CLUSTER_IP, IPVS_IPS } from "../support/build-ipvs.ts";
import { foundLines } from "../support/ipvs-lines.ts";
import { IpvsMemory } from "../support/ipvs-memory.ts";
import { refusalOf } from "../support/refusal.ts";

const DEVICE = "kube-ipvs0";
const { realServers: _, ...SERVER } = buildServer("10.0.0.1", []);
const OTHER = { ...SERVER, address: "10.0.0.2" };
const [A, B] = [buildReal("10.1.0.1"), buildReal("10.1.0.2")];
const EINVAL = 22;

const SETS: IpvsStep = { kind: "sets", changes: [CLUSTER_IP, IPVS_IPS].map((set) => ({ kind: "create", set })) };
const SERVERS: IpvsStep = {
  kind: "servers",
  changes: [
    { kind: "add-server", server: SERVER },
    { kind: "add-real", server: SERVER, real: A },
    { kind: "add-real", server: SERVER, real: B },
    { kind: "add-server", server: OTHER },
    { kind: "add-real", server: OTHER, real: A },
  ],
};

async function lines(memory: IpvsMemory): Promise<readonly string[]> {
  return foundLines(await memory.look("IPv4", [CLUSTER_IP, IPVS_IPS]));
}

/** What was refused: key and code. */
async function refusedBy(memory: IpvsMemory, step: IpvsStep): Promise<readonly string[]> {
  const { items } = await carryOutIpvs(step, memory);
  return items.map(({ key, error }) => `${key}: ${error.refusal.code}`);
}

t.test("the interface is made once, and deleted once", async (t) => {
  const memory = new IpvsMemory();
  for (const _time of [1, 2]) t.strictSame(await carryOutIpvs({ kind: "device", name: DEVICE }, memory), ALL_WELL);
  t.strictSame(await lines(memory), [`interface ${DEVICE}`]);
  for (const _time of [1, 2])
    t.strictSame(await carryOutIpvs({ kind: "remove-device", name: DEVICE }, memory), ALL_WELL);
  t.strictSame(await lines(memory), []);
  t.strictSame(memory.journal.changes, [`link ${DEVICE}`, `no link ${DEVICE}`]);
});

t.test("addresses come and go; the interface is made if somebody took it away", async (t) => {
  const memory = new IpvsMemory();
  const bind: IpvsStep = { kind: "bind", device: DEVICE, addresses: ["10.0.0.1", "224.0.0.1", "10.0.0.2"] };
  memory.journal.refuses = (change) => (change === "bind 224.0.0.1/32" ? EINVAL : 0);
  t.strictSame(await refusedBy(memory, bind), ["224.0.0.1: EINVAL"]);
  t.strictSame(await lines(memory), ["address 10.0.0.1", "address 10.0.0.2", `interface ${DEVICE}`]);
  t.strictSame(await refusedBy(memory, { ...bind, kind: "unbind" }), [], "what is not there is as good as gone");
  t.strictSame(await lines(memory), [`interface ${DEVICE}`]);
});

t.test("entries that are refused are named by their set; a set that is refused ends the step", async (t) => {
  const memory = new IpvsMemory();
  t.strictSame(await refusedBy(memory, SETS), []);
  t.strictSame(await refusedBy(memory, SETS), [], "they are there");
  memory.journal.refuses = (change) => (change.includes("10.0.0.2,") ? 4352 : 0);
  const entries = ["10.0.0.1,tcp:80", "10.0.0.2,tcp:80", "10.0.0.3,tcp:80"];
  const add: IpvsStep = { kind: "sets", changes: [{ kind: "add", set: CLUSTER_IP, entries }] };
  t.strictSame(await refusedBy(memory, add), ["KUBE-CLUSTER-IP 10.0.0.2,tcp:80: IPSET_ERR_HASH_FULL"]);
  t.strictSame(
    (await lines(memory)).filter((line) => line.startsWith("entry")),
    ["entry KUBE-CLUSTER-IP 10.0.0.1,tcp:80", "entry KUBE-CLUSTER-IP 10.0.0.3,tcp:80"],
  );
  const otherwise: IpvsStep = {
    kind: "sets",
    changes: [{ kind: "create", set: { ...IPVS_IPS, type: "hash:ip,port" } }],
  };
  t.match(await refusalOf(carryOutIpvs(otherwise, memory)), {
    step: "ipset create",
    target: IPVS_IPS.name,
    code: "EEXIST",
  });
});

t.test("a virtual server that is refused is named, and what would be behind it is not", async (t) => {
  const memory = new IpvsMemory();
  memory.journal.refuses = (change) => (change.startsWith("add-server 10.0.0.2:") ? EINVAL : 0);
  t.strictSame(await refusedBy(memory, SERVERS), ["10.0.0.2:80/TCP: EINVAL"]);
  memory.journal.refuses = (change) => (change.startsWith("add-real 10.0.0.2:") ? EINVAL : 0);
  t.strictSame(await refusedBy(memory, SERVERS), ["10.0.0.2:80/TCP to 10.1.0.1 8080: EINVAL"]);
  t.match(await lines(memory), [
    "real 10.0.0.1:80/TCP to 10.1.0.1 8080 masquerade weight 1",
    "real 10.0.0.1:80/TCP to 10.1.0.2 8080 masquerade weight 1",
    "server 10.0.0.1:80/TCP rr 0 0 0",
    "server 10.0.0.2:80/TCP rr 0 0 0",
  ]);
});

t.test("one that was to be set and is gone is named with its real servers", async (t) => {
  const memory = new IpvsMemory();
  const changes = [{ kind: "add-real", server: SERVER, real: A }] as const;
  t.strictSame(await refusedBy(memory, { kind: "servers", changes }), ["10.0.0.1:80/TCP to 10.1.0.1 8080: ESRCH"]);
});

t.test("what is retired and still busy is told; a refusal is told by its key", async (t) => {
  const memory = new IpvsMemory();
  await carryOutIpvs(SERVERS, memory);
  memory.connect(A.address, A.port, 2);
  memory.journal.refuses = (change) => (change.startsWith("set-real 10.0.0.2:") ? EINVAL : 0);
  const reals = [
    { server: SERVER, real: A },
    { server: SERVER, real: B },
    { server: OTHER, real: A },
  ];
  const { draining, items } = await carryOutIpvs({ kind: "retire", reals, again: false }, memory);
  t.strictSame(draining, reals.slice(0, 1));
  t.match(items, [{ key: "10.0.0.2:80/TCP to 10.1.0.1 8080", error: { refusal: { code: "EINVAL" } } }]);
  t.equal(items.length, 1);
  t.match(await lines(memory), [
    "real 10.0.0.1:80/TCP to 10.1.0.1 8080 masquerade weight 0",
    "real 10.0.0.2:80/TCP to 10.1.0.1 8080 masquerade weight 1",
  ]);
});

t.test("a kernel that does not answer ends the step", async (t) => {
  const memory = new IpvsMemory();
  memory.loses = () => "answer";
  t.match(await refusalOf(carryOutIpvs(SERVERS, memory)), { code: "ETIMEDOUT" });
});
