// The cheap check for changes of IPVS by other software, against a fake kernel.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { ipvsFingerprint, readModuleUsers } from "../../src/kernel/ipvs-fingerprint.ts";
import { machine } from "../../src/kernel/kernel.ts";
import type { IpvsStep } from "../../src/plan/plan.ts";
import { buildReal, buildServer, CLUSTER_IP, IPVS_IPS } from "../support/build-ipvs.ts";
import { FakeIptables } from "../support/fake-iptables.ts";
import { IpvsMemory } from "../support/ipvs-memory.ts";

const { realServers: _, ...SERVER } = buildServer("10.0.0.1", []);
const OTHER = { ...SERVER, address: "10.0.0.2" };
const DEVICE = "kube-ipvs0";

const STEPS: readonly IpvsStep[] = [
  { kind: "device", name: DEVICE },
  { kind: "sets", changes: [CLUSTER_IP, IPVS_IPS].map((set) => ({ kind: "create", set })) },
  {
    kind: "servers",
    changes: [
      { kind: "add-server", server: SERVER },
      { kind: "add-server", server: OTHER },
      { kind: "add-real", server: SERVER, real: buildReal("10.1.0.1") },
    ],
  },
  { kind: "bind", device: DEVICE, addresses: ["10.0.0.1", "10.0.0.2", "fd00::1"] },
  { kind: "sets", changes: [{ kind: "add", set: CLUSTER_IP, entries: ["10.0.0.1,tcp:80", "10.0.0.2,tcp:80"] }] },
];

const MORE: readonly IpvsStep[] = [
  { kind: "retire", reals: [{ server: SERVER, real: buildReal("10.1.0.1") }], again: false },
  { kind: "sets", changes: [{ kind: "remove", set: CLUSTER_IP, entries: ["10.0.0.2,tcp:80"] }] },
  { kind: "unbind", device: DEVICE, addresses: ["10.0.0.2"] },
  { kind: "servers", changes: [{ kind: "remove-server", server: OTHER }] },
];

/** A kernel that was programmed by us, and the check of it that has learned what there was before. */
async function programmed() {
  const memory = new IpvsMemory();
  const kernel = machine(new FakeIptables().run, memory);
  await kernel.ipvsMoved();
  await kernel.apply({ steps: STEPS, kept: [] });
  return { memory, kernel };
}

t.test("counts are those of the kernel", async (t) => {
  const { memory } = await programmed();
  t.match(await ipvsFingerprint(memory), { link: Number, addresses: 3, servers: 2, entries: 2 });
  const empty = { link: 0, addresses: 0, servers: 0, entries: 0 };
  t.strictSame(await ipvsFingerprint(new IpvsMemory()), empty);
  t.strictSame(await ipvsFingerprint({ ...new IpvsMemory(), moduleUsers: async () => 7 }), { ...empty, servers: 7 });
});

t.test("the users of a module are read where it is one", async (t) => {
  const path = join(t.testdir(), "refcnt");
  t.equal(await readModuleUsers(path), undefined);
  writeFileSync(path, "12\n");
  t.equal(await readModuleUsers(path), 12);
});

t.test("our own changes are none of other software", async (t) => {
  const { kernel } = await programmed();
  t.equal(await kernel.ipvsMoved(), false);
  await kernel.apply({ steps: MORE, kept: [] });
  t.equal(await kernel.ipvsMoved(), false);
  const small = { ...CLUSTER_IP, maxEntries: 9 };
  const scratch = { ...small, name: "KUBE-SCRATCH" };
  const resize: IpvsStep = {
    kind: "sets",
    changes: [
      { kind: "create", set: scratch },
      { kind: "add", set: scratch, entries: ["10.0.0.1,tcp:80"] },
      { kind: "swap", name: CLUSTER_IP.name, other: scratch.name },
      { kind: "destroy", name: scratch.name },
    ],
  };
  await kernel.apply({ steps: [resize], kept: [] });
  t.equal(await kernel.ipvsMoved(), false);
  await kernel.apply({ steps: [{ kind: "remove-device", name: DEVICE }, STEPS[0] ?? resize], kept: [] });
  t.equal(await kernel.ipvsMoved(), true, "its addresses went with the interface, which nobody asked for");
  t.equal(await kernel.ipvsMoved(), false);
});

const FOREIGN: Readonly<Record<string, IpvsStep>> = {
  "deletes a virtual server": { kind: "servers", changes: [{ kind: "remove-server", server: SERVER }] },
  "adds a virtual server": { kind: "servers", changes: [{ kind: "add-server", server: { ...SERVER, port: 81 } }] },
  "removes an address": { kind: "unbind", device: DEVICE, addresses: ["fd00::1"] },
  "deletes the interface": { kind: "remove-device", name: DEVICE },
  "removes an entry": { kind: "sets", changes: [{ kind: "remove", set: CLUSTER_IP, entries: ["10.0.0.1,tcp:80"] }] },
};

for (const [what, step] of Object.entries(FOREIGN)) {
  t.test(`other software that ${what} is noticed, once`, async (t) => {
    const { memory, kernel } = await programmed();
    await kernel.ipvsMoved();
    await memory.edit(step);
    t.equal(await kernel.ipvsMoved(), true);
    t.equal(await kernel.ipvsMoved(), false);
  });
}

t.test("a change by other software in the midst of ours is noticed afterwards", async (t) => {
  const { memory, kernel } = await programmed();
  await kernel.ipvsMoved();
  await memory.edit(FOREIGN["deletes a virtual server"] ?? { kind: "remove-device", name: DEVICE });
  const under = kernel.apply({ steps: MORE.slice(1, 3), kept: [] });
  const during = await kernel.ipvsMoved();
  await under;
  t.ok(during || (await kernel.ipvsMoved()));
});

t.test("after a change of which nobody knows how far it came, the check learns anew", async (t) => {
  const { memory, kernel } = await programmed();
  await kernel.ipvsMoved();
  memory.loses = () => "answer";
  const { refused } = await kernel.apply({ steps: MORE.slice(1), kept: [] });
  t.ok(refused);
  memory.loses = undefined;
  t.equal(await kernel.ipvsMoved(), false);
});
