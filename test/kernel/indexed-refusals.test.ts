// Sets of the Indexed layout that the kernel refuses, in part or as a whole, and sets that exist with another size.
import "../support/enter-sandbox.ts";

import { spawnSync } from "node:child_process";
import t from "tap";
import type { ServiceRecord } from "../../src/api/objects.ts";
import type { Backend } from "../../src/backends/backend.ts";
import type { KernelState } from "../../src/state/kernel-state.ts";
import { buildEndpoint, buildRecord, buildService, buildSlice } from "../support/build.ts";
import { ipset, ipsetSkipReason, savedSets } from "../support/ipset-tool.ts";
import { IpvsNode, SYNC_PERIOD } from "../support/ipvs-node.ts";
import { sandboxEnvironment } from "../support/sandbox.ts";
import { BACKEND, INDEXED_BACKEND } from "../support/templates.ts";
import { limitTime } from "../support/time-limit.ts";

limitTime(120_000);

const skip = ipsetSkipReason();

/** Its sets take four entries each. */
const NARROW: Backend = { ...INDEXED_BACKEND, desired: (world) => narrowed(INDEXED_BACKEND.desired(world)) };

function narrowed(state: KernelState): KernelState {
  if (state.ipvs?.kind !== "wanted") return state;
  return { ...state, ipvs: { ...state.ipvs, sets: state.ipvs.sets.map((set) => ({ ...set, maxEntries: 4 })) } };
}

/** With so many endpoints. */
function service(number: number, endpoints: number): ServiceRecord {
  const name = `s${number}`;
  const all = Array.from({ length: endpoints }, (_, at) => buildEndpoint(`10.71.${number}.${at + 1}`));
  const slice = buildSlice(all, { service: name, name: `${name}-1` });
  return buildRecord(buildService({ name, clusterIP: `10.96.0.${number}` }), slice);
}

function saved(): string {
  return spawnSync("iptables-save", ["-t", "nat"], { env: sandboxEnvironment(), encoding: "utf8" }).stdout;
}

function destinations(): readonly string[] {
  return [...saved().matchAll(/ --to-destination (\S+)/g)].map(([, to = ""]) => to).sort();
}

function refusals({ lines }: IpvsNode): readonly string[] {
  return lines.flatMap((line) => / item="([^"]*)"/.exec(line)?.[1] ?? []);
}

t.test("a set that is full", { skip }, async (t) => {
  const node = new IpvsNode({ backend: NARROW });
  const all = [service(1, 2), service(2, 2), service(3, 1)];
  const report = await node.show(...all);
  t.equal(report.failure, undefined, "is no failure");
  const endpoints = ["10.71.1.1", "10.71.1.2", "10.71.2.1", "10.71.2.2", "10.71.3.1"];
  t.strictSame(
    destinations(),
    endpoints.map((address) => `${address}:8080`),
    "every Service has its rules",
  );
  t.equal(savedSets("KUBE-IX-LOOP-BACK").length, 1 + 4, "and as many endpoints as there is room for are in the set");
  t.strictSame(refusals(node).length, 1, "the one left over is told");
  t.match(refusals(node)[0], /^KUBE-IX-LOOP-BACK 10\.71\.\d\.\d,tcp:8080,10\.71\.\d\.\d$/);
  const [, left = ""] = / (10\.71\.\d\.\d),/.exec(refusals(node)[0] ?? "") ?? [];
  const owner = `ns/s${left.split(".")[2]}:http`;
  t.match(report, { setAside: [{ servicePort: `${owner}/TCP`, reason: /KUBE-IX-LOOP-BACK/ }] });
  t.equal((await node.look()).failure, undefined);
  const others = all.filter(({ service }) => !owner.startsWith(`ns/${service.name}:`));
  const [gone, ...rest] = others;
  await node.show(...all.filter((record) => record !== gone));
  t.equal(rest.length, 1);
  await node.later(4 * SYNC_PERIOD);
  t.ok(
    savedSets("KUBE-IX-LOOP-BACK").some((line) => line.includes(` ${left},`)),
    "it has its place once there is room",
  );
  t.equal((await node.look()).steps, 0);
  await node.stop();
  clear();
});

t.test("a set of ours that exists with another type", { skip }, async (t) => {
  const compat = new IpvsNode({ backend: BACKEND });
  await compat.show(service(1, 2));
  await compat.stop();
  ipset(["create", "KUBE-IX-LOOP-BACK", "hash:net"]);
  const before = saved().replace(/^#.*$/gm, "");
  const node = new IpvsNode({ backend: INDEXED_BACKEND });
  const { failure } = await node.show(service(1, 2));
  t.match(failure, { step: "sets", code: "EEXIST" }, "is told, as what it is");
  t.match(
    node.lines.join("\n"),
    /ipset KUBE-IX-LOOP-BACK \(type hash:net, expected hash:ip,port,ip\): exists with another type/,
  );
  t.equal(saved().replace(/^#.*$/gm, ""), before, "the rules that serve stay");
  ipset(["destroy", "KUBE-IX-LOOP-BACK"]);
  t.equal((await node.look()).failure, undefined, "once it is gone all is well");
  t.match(saved(), /-A KUBE-IX-SVC-/);
  t.equal(savedSets("KUBE-IX-LOOP-BACK").length, 1 + 2);
  await node.stop();
  clear();
});

t.test("a set of another size is replaced while rules use it, and rules and entries stay", { skip }, async (t) => {
  const narrow = new IpvsNode({ backend: NARROW });
  await narrow.show(service(1, 2));
  await narrow.stop();
  const before = saved().replace(/^[#:].*$/gm, "");
  const node = new IpvsNode({ backend: INDEXED_BACKEND });
  t.equal((await node.show(service(1, 2))).failure, undefined);
  t.equal(saved().replace(/^[#:].*$/gm, ""), before, "no rule is changed for it");
  const [header = "", ...entries] = savedSets("KUBE-IX-LOOP-BACK");
  t.match(header, / maxelem 1048576$/);
  t.equal(entries.length, 2);
  t.strictSame(
    savedSets().filter((line) => line.includes("SCRATCH")),
    [],
  );
  t.equal((await node.look()).steps, 0);
  await node.stop();
  clear();
});

/** Rules first: they hold sets. */
function clear(): void {
  for (const table of ["filter", "nat"]) {
    for (const what of ["-F", "-X"]) spawnSync("iptables", ["-t", table, what], { env: sandboxEnvironment() });
  }
  ipset(["destroy"]);
}
