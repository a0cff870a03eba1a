// The cheap check for changes of IPVS by other software, on a real kernel.
import { execa } from "execa";
import t from "tap";
import { runCommand } from "../../src/kernel/command.ts";
import { machine } from "../../src/kernel/kernel.ts";
import type { IpvsStep } from "../../src/plan/plan.ts";
import { buildServer, CLUSTER_IP } from "../support/build-ipvs.ts";

t.setTimeout(300_000);

const { realServers: _, ...SERVER } = buildServer("10.0.0.1", []);

const STEPS: readonly IpvsStep[] = [
  { kind: "device", name: "kube-ipvs0" },
  { kind: "sets", changes: [{ kind: "create", set: CLUSTER_IP }] },
  { kind: "servers", changes: [{ kind: "add-server", server: SERVER }] },
  { kind: "bind", device: "kube-ipvs0", addresses: ["10.0.0.1", "fd00::1"] },
  { kind: "sets", changes: [{ kind: "add", set: CLUSTER_IP, entries: ["10.0.0.1,tcp:80", "10.0.0.2,tcp:80"] }] },
];

t.test("changes by other software are noticed once, and our own never", async (t) => {
  const kernel = machine(runCommand);
  await execa("ipvsadm", ["-A", "-t", "10.9.9.9:80", "-s", "rr"]);
  t.equal(await kernel.ipvsMoved(), false, "the first check learns");
  t.equal((await kernel.apply({ steps: STEPS, kept: [] })).refused, undefined);
  for (let time = 0; time < 5; time++) t.equal(await kernel.ipvsMoved(), false, "our own changes");
  for (const command of [
    "ipvsadm -D -t 10.9.9.9:80",
    "ipvsadm -A -u 10.9.9.9:53 -s rr",
    "ipset flush KUBE-CLUSTER-IP",
    "ip addr del fd00::1/128 dev kube-ipvs0",
    "ipvsadm -C",
    "ip link del kube-ipvs0",
  ]) {
    await execa("sh", ["-c", command]);
    t.equal(await kernel.ipvsMoved(), true, command);
    t.equal(await kernel.ipvsMoved(), false, "and is told once");
  }
  await execa("ipset", ["destroy"]);
});
