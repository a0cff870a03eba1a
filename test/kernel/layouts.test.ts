// Does a node that changes the layout of its rules keep every connection, and take every new one at every moment?
import "../support/enter-sandbox.ts";

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import t, { type Test } from "tap";
import { Daemon } from "../support/daemon.ts";
import { ipsetSkipReason } from "../support/ipset-tool.ts";
import { inNamespace, VARIANTS, type Variant, variantEnvironment, variantSkip } from "../support/iptables-variant.ts";
import { type LiveNode, makeLiveNode } from "../support/live-node.ts";
import { built } from "../support/program.ts";
import type { At, Talker } from "../support/talker.ts";
import { limitTime } from "../support/time-limit.ts";

limitTime(300_000);

const skip = ipsetSkipReason();

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
  ports:
  - {name: web, protocol: TCP, port: 80, nodePort: 31080}
  - {name: say, protocol: UDP, port: 53, nodePort: 31053}
---
apiVersion: v1
kind: Service
metadata: {namespace: shop, name: stay}
spec: {clusterIP: 10.96.1.2, clusterIPs: [10.96.1.2], sessionAffinity: ClientIP, ports: [{name: web, protocol: TCP, port: 80}]}
---
${slice("web", "IPv4", ["10.71.1.5", "10.71.1.6", "10.71.1.7"])}
${slice("stay", "IPv4", ["10.71.1.5", "10.71.1.6", "10.71.1.7"])}
${slice("web", "IPv6", ["fd00:71:1::5", "fd00:71:1::6"])}
`;

function slice(name: string, family: string, addresses: readonly string[]): string {
  return `---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {namespace: shop, name: ${name}-${family.toLowerCase()}, labels: {kubernetes.io/service-name: ${name}}}
addressType: ${family}
ports: [{name: web, protocol: TCP, port: 8080}, {name: say, protocol: UDP, port: 8080}]
endpoints: ${JSON.stringify(addresses.map((address) => ({ addresses: [address], nodeName: "alpha" })))}`;
}

function configOf(layout: Layout): string {
  return `apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clusterCIDR: 10.71.0.0/16,fd00:71::/32
hostnameOverride: alpha
conntrack: {maxPerCore: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
iptables: {layout: ${layout}}
`;
}

type Layout = "Compat" | "Indexed";

const VIP = "10.96.1.1";
const STICKY: At = { address: "10.96.1.2", port: 80 };

/** Who connects over and over, and where to; each also holds one connection. */
const STREAMS: readonly (readonly [from: "node" | "outside" | "caller", at: At])[] = [
  ["caller", { address: VIP, port: 80 }],
  ["caller", { address: VIP, port: 53, protocol: "udp" }],
  ["caller", { address: "fd00:96::1", port: 80 }],
  ["node", { address: VIP, port: 80 }],
  ["node", { address: VIP, port: 53, protocol: "udp" }],
  ["node", { address: "fd00:96::1", port: 53, protocol: "udp" }],
  ["outside", { address: "192.0.2.10", port: 31_080 }],
  ["outside", { address: "192.0.2.10", port: 31_053, protocol: "udp" }],
  ["outside", { address: "fd00:2::10", port: 31_080 }],
];

/** Milliseconds in which streams go on before and behind each change. */
const SIDE = 1000;

const TURNS: readonly Layout[] = ["Indexed", "Compat"];

for (const variant of VARIANTS) {
  t.test(`through ${variant}`, { skip: skip || variantSkip(variant) }, (t) => testSwitching(t, variant));
}

async function testSwitching(t: Test, variant: Variant): Promise<void> {
  const node = await makeLiveNode(t);
  const env = variantEnvironment(variant);
  const say = (program: string, ...args: readonly string[]) =>
    inNamespace(node.netns.node, [program, ...args], { env });
  const start = starter(t, node, env);
  let daemon = await start("Compat");
  const { caller } = node.talkers;
  const sticky = await askAgain(caller, "first");
  await openAll(t, node);
  for (const [from, at] of STREAMS) await node.talkers[from].begin(nameOf(from, at), at);
  for (const [turn, layout] of TURNS.entries()) {
    const name = `turn ${turn}, ${layout}`;
    await sleep(SIDE);
    t.equal(await daemon.stop(), 0);
    daemon = await start(layout);
    await talkAll(t, node, name);
    t.equal(await askAgain(caller, name), sticky, `${name}: a client that is remembered stays where it was`);
    const saved = `${await say("iptables-save")}${await say("ip6tables-save")}`;
    if (layout === "Indexed") {
      t.match(saved, /KUBE-IX-SVC-/, `${name}: its rules are in`);
      t.notMatch(saved, /:KUBE-(SVC|SEP|EXT)-/, `${name}: the others are out`);
    } else {
      t.match(saved, /:KUBE-SVC-/, `${name}: its rules are in`);
      t.notMatch(saved, /KUBE-IX|match-set/, `${name}: the others are out`);
      await daemon.said(/Nothing of .* is left/);
      t.equal(await say("ipset", "list", "-n"), "", `${name}: no set is left`);
    }
  }
  await sleep(SIDE);
  for (const [from, at] of STREAMS) {
    const { count, failures } = await node.talkers[from].end(nameOf(from, at));
    t.ok(count > 20, `${count} connections ${nameOf(from, at)}`);
    t.strictSame(failures, [], `each of those ${nameOf(from, at)} went well`);
  }
  t.equal(await daemon.stop(), 0);
}

/** Starts the program in a layout, and waits until the rules of both families are in. */
function starter(t: Test, { netns }: LiveNode, env: NodeJS.ProcessEnv): (layout: Layout) => Promise<Daemon> {
  const folder = mkdtempSync("/run/fairlead-layouts-");
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "cluster.yaml"), CLUSTER);
  const config = join(folder, "config");
  return async (layout) => {
    writeFileSync(config, configOf(layout));
    const daemon = new Daemon(
      ["run", "--manifests", join(folder, "cluster.yaml"), "--config", config],
      netns.node,
      env,
      built(),
    );
    t.teardown(() => daemon.stop("SIGKILL"));
    for (const family of ["IPv4", "IPv6"])
      await daemon.said(new RegExp(`SyncProxyRules complete" ipFamily="${family}"`));
    return daemon;
  };
}

async function openAll(t: Test, { talkers }: LiveNode): Promise<void> {
  for (const [from, at] of STREAMS) {
    t.match(await talkers[from].open(`held ${nameOf(from, at)}`, at), /^(10\.71\.1\.|fd00:71:1::)/, nameOf(from, at));
  }
}

async function talkAll(t: Test, { talkers }: LiveNode, when: string): Promise<void> {
  for (const [from, at] of STREAMS) {
    const answer = await talkers[from].talk(`held ${nameOf(from, at)}`);
    t.match(answer, /^(10\.71\.1\.|fd00:71:1::)/, `${when}: still ${nameOf(from, at)}`);
  }
}

/** Who answers a client that is remembered, time after time: one, or all of those that did. */
async function askAgain(caller: Talker, when: string): Promise<string> {
  const answers = new Set<string>();
  for (let time = 0; time < 6; time++) {
    answers.add(await caller.open(`${when} ${time}`, STICKY));
    await caller.close(`${when} ${time}`);
  }
  return [...answers].join(", ");
}

function nameOf(from: string, { address, port, protocol }: At): string {
  return `from ${from} to ${protocol ?? "tcp"} ${address} ${port}`;
}
