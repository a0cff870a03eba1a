// Does a node without IPVS, asked for IPVS mode, run in iptables mode and say so everywhere? In a namespace of its own.
import "../support/enter-sandbox.ts";

import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import t from "tap";
import { runCommand } from "../../src/kernel/command.ts";
import { ipvsSupport } from "../../src/kernel/ipvs-support.ts";
import { makeClusterNode } from "../support/cluster-node.ts";
import { ask } from "../support/http-client.ts";
import { sampleOf } from "../support/prometheus-text.ts";
import { sandboxEnvironment, skipReason } from "../support/sandbox.ts";
import { limitTime } from "../support/time-limit.ts";

limitTime(120_000);

const support = await ipvsSupport({ run: runCommand }, "rr").catch((error: Error) => error);

const skip =
  skipReason() || ("kind" in support && support.kind === "missing" ? false : "this kernel can run IPVS mode itself");

const env = sandboxEnvironment();

const NODE = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "worker-a" },
  status: { addresses: [{ type: "InternalIP", address: "192.0.2.10" }] },
};

t.test("iptables mode serves the node, and everyone who asks is told", { skip }, async (t) => {
  if (!("kind" in support) || support.kind !== "missing") throw new Error("not skipped");
  const { server, ports, start } = await makeClusterNode(t, [
    [/mode: ""/, "mode: ipvs"],
    [/scheduler: ""/, "scheduler: rr"],
    [/strictARP: false/, "strictARP: true"],
  ]);
  server.set(NODE);
  // What a run in IPVS mode on another kernel left.
  await execa("ipset", ["create", "KUBE-CLUSTER-IP", "hash:ip,port"], { env });
  const rule = ["-t", "nat", "-A", "KUBE-LOAD-BALANCER", "-m", "set", "--match-set", "KUBE-CLUSTER-IP", "dst,dst"];
  await execa("iptables", ["-t", "nat", "-N", "KUBE-LOAD-BALANCER"], { env });
  await execa("iptables", [...rule, "-j", "ACCEPT"], { env });
  const daemon = start();
  await daemon.said(/"SyncProxyRules complete"/, 2);
  t.match(await daemon.said(/falling back to iptables mode/), [
    new RegExp(`^E.*"IPVS mode is not possible here, falling back to iptables mode" reason="${support.part}"`),
  ]);
  t.match(
    (await daemon.said(/"Ignoring a setting of IPVS mode"/, 2)).map((line) => line.replace(/^.*?field=/, "")),
    ['"ipvs.scheduler"', '"ipvs.strictARP"'],
  );
  t.equal((await ask({ port: ports.metrics, path: "/proxyMode" })).body, "iptables");
  const { body } = await ask({ port: ports.metrics, path: "/metrics" });
  t.equal(sampleOf(body, "fairlead_mode", { mode: "iptables" }), 1);
  t.type(sampleOf(body, "kubeproxy_sync_proxy_rules_iptables_total", { ip_family: "IPv4", table: "nat" }), "number");
  for (let tries = 0; server.events.length < 2 && tries < 100; tries++) await sleep(50);
  t.match(server.events, [
    {
      body: {
        type: "Warning",
        reason: "IPVSFallback",
        action: "StartKubeProxy",
        note: `IPVS mode is not possible on this node, iptables mode serves it: ${support.words} (${support.part})`,
        regarding: { kind: "Node", name: "worker-a" },
      },
    },
    { body: { reason: "Starting" } },
  ]);
  await daemon.said(/"Nothing of another mode is left"/);
  t.equal((await execa("ipset", ["list", "-n"], { env })).stdout, "");
  t.notMatch((await execa("iptables-save", [], { env })).stdout, /KUBE-LOAD-BALANCER/);
  t.equal(await daemon.stop(), 0);
});

t.test("who forbids that gets an error, and no rule", { skip }, async (t) => {
  await execa("iptables", ["-t", "nat", "-F"], { env });
  const { start } = await makeClusterNode(t, [
    [/mode: ""/, "mode: ipvs"],
    [/( *)strictARP: false/, "$1strictARP: false\n$1fallback: None"],
  ]);
  const daemon = start();
  t.equal((await daemon.finish()).code, 1);
  t.match(daemon.lines.at(-1), /^E.*"command failed" err="can't use the IPVS proxier: .* \(\w+Missing\)"/);
  t.notMatch((await execa("iptables-save", ["-t", "nat"], { env })).stdout, /^-A.*KUBE/m);
});
