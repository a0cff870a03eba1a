// Checks that a node goes back from the Indexed layout to kube-proxy's rules while connections go on.
import "../support/enter-sandbox.ts";

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { runCommandLine } from "../../src/cli.ts";
import { CollectedOutput } from "../support/collected-output.ts";
import { Daemon } from "../support/daemon.ts";
import { ipsetSkipReason } from "../support/ipset-tool.ts";
import { inNamespace, VARIANTS, type Variant, variantEnvironment, variantSkip } from "../support/iptables-variant.ts";
import { type LiveNode, makeLiveNode } from "../support/live-node.ts";
import { built } from "../support/program.ts";
import type { At } from "../support/talker.ts";
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
metadata: {namespace: shop, name: idle}
spec: {type: NodePort, clusterIP: 10.96.1.3, clusterIPs: [10.96.1.3], ports: [{port: 80, nodePort: 31081}]}
---
${slice("web", "IPv4", ["10.71.1.5", "10.71.1.6", "10.71.1.7"])}
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

function configOf(layout: "Compat" | "Indexed"): string {
  return `apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clusterCIDR: 10.71.0.0/16,fd00:71::/32
hostnameOverride: alpha
conntrack: {maxPerCore: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
iptables: {layout: ${layout}}
`;
}

/** From where connections are made without a pause, and where to; each sender also keeps one connection open. */
const STREAMS: readonly (readonly [from: "node" | "outside" | "caller", at: At])[] = [
  ["caller", { address: "10.96.1.1", port: 80 }],
  ["caller", { address: "10.96.1.1", port: 53, protocol: "udp" }],
  ["caller", { address: "fd00:96::1", port: 80 }],
  ["node", { address: "10.96.1.1", port: 80 }],
  ["outside", { address: "192.0.2.10", port: 31_080 }],
  ["outside", { address: "fd00:2::10", port: 31_080 }],
];

const ENDPOINT = /^(10\.71\.1\.|fd00:71:1::)/;

/** Connections that each stream makes before and after a change. */
const SIDE = 8;

for (const variant of VARIANTS) {
  t.test(
    `no connection fails on the way from layout Indexed to kube-proxy, and cleanup leaves nothing, with ${variant}`,
    { skip: skip || variantSkip(variant) },
    (t) => goBack(t, variant),
  );
}

async function goBack(t: Test, variant: Variant): Promise<void> {
  const node = await makeLiveNode(t);
  const env = variantEnvironment(variant);
  const run = (program: string, ...args: readonly string[]) =>
    inNamespace(node.netns.node, [program, ...args], { env });
  const saved = async () => `${await run("iptables-save")}${await run("ip6tables-save")}`;
  const folder = mkdtempSync("/run/fairlead-back-");
  t.teardown(() => rmSync(folder, { recursive: true }));
  const [manifest, indexed, compat] = [join(folder, "cluster.yaml"), join(folder, "indexed"), join(folder, "compat")];
  writeFileSync(manifest, CLUSTER);
  writeFileSync(indexed, configOf("Indexed"));
  writeFileSync(compat, configOf("Compat"));
  /** Runs the program in the node's namespace. */
  const fairlead = async (...args: readonly string[]) => {
    const program = new Daemon(args, node.netns.node, env, built());
    t.teardown(() => program.stop("SIGKILL"));
    const { code, output } = await program.finish();
    return { code, output, notes: program.lines.join("\n") };
  };
  const compare = (...args: readonly string[]) =>
    fairlead("diff", manifest, "--config", compat, "--nfacct=false", ...args);

  const daemon = new Daemon(["run", "--manifests", manifest, "--config", indexed], node.netns.node, env, built());
  t.teardown(() => daemon.stop("SIGKILL"));
  for (const family of ["IPv4", "IPv6"]) await daemon.said(new RegExp(`SyncProxyRules complete" ipFamily="${family}"`));
  t.equal(await daemon.stop(), 0);
  t.match(await saved(), /KUBE-IX-SVC-/, "the node starts in layout Indexed");
  for (const [from, at] of STREAMS) {
    t.match(await node.talkers[from].open(`held ${nameOf(from, at)}`, at), ENDPOINT);
    await node.talkers[from].begin(nameOf(from, at), at);
  }
  await streamsGoOn(node);

  const early = await fairlead("cleanup", "--layout", "Indexed");
  t.match(
    [early.code, early.output, early.notes],
    [1, "nothing to remove (IPv4 and IPv6 examined)\n", /^IPv4: layout Indexed is in use: table nat has "-A KUBE-/m],
    "cleanup refuses to remove the rules that serve",
  );

  for (const [section, tool] of [
    ["iptables", "iptables-restore"],
    ["ip6tables", "ip6tables-restore"],
  ] as const) {
    const rules = asKubeProxy(await rendered(manifest, compat, section));
    await inNamespace(node.netns.node, [tool, "--noflush"], { env, input: rules });
  }
  await streamsGoOn(node);
  const between = await saved();
  t.match(between, /^:KUBE-IX-SVC-/m, "kube-proxy leaves the chains of layout Indexed");
  t.match(await run("ipset", "list", "-n"), /^KUBE-6-IX-LOOP-BACK$/m, "and its sets");
  const data = JSON.parse((await compare("-o", "json")).output);
  t.match(
    data.leftovers.map(({ family, of, inUse, remedy }: Record<string, unknown>) => [family, of, inUse, remedy]),
    [
      ["IPv4", "layout Indexed", false, 'run "fairlead cleanup --layout Indexed"'],
      ["IPv6", "layout Indexed", false, 'run "fairlead cleanup --layout Indexed"'],
    ],
  );

  const dry = await fairlead("cleanup", "--layout", "Indexed", "--dry-run");
  t.match([dry.code, dry.output], [0, /^- IPv4 nat :KUBE-IX-SVC-.*^would remove \d+ rules in \d+ chains, 4 ipsets$/ms]);
  t.notMatch(dry.output, /KUBE-(?:SVC|SEP|SERVICES)/, "nothing of kube-proxy's would be removed");
  t.equal(withoutCounters(await saved()), withoutCounters(between), "a dry run removes nothing");
  const done = await fairlead("cleanup", "--layout", "Indexed");
  t.match([done.code, done.output], [0, /^removed \d+ rules in \d+ chains, 4 ipsets\n$/], done.notes);
  await streamsGoOn(node);

  for (const [from, at] of STREAMS) {
    const { count, failures } = await node.talkers[from].end(nameOf(from, at));
    t.ok(count >= 4 * SIDE, `${count} connections ${nameOf(from, at)}`);
    t.strictSame(failures, [], `none of those ${nameOf(from, at)} failed`);
    t.match(await node.talkers[from].talk(`held ${nameOf(from, at)}`), ENDPOINT, "an open connection goes on");
  }
  t.notMatch(await saved(), /KUBE-(?:6-)?IX|match-set/, "no chain and no rule of the layout is left");
  t.equal(await run("ipset", "list", "-n"), "", "no set is left");
  const after = await compare();
  t.match([after.code, after.output], [0, /^no differences/], `kube-proxy's rules are whole: ${after.notes}`);
  t.notMatch(after.notes, /Indexed/);
}

async function rendered(manifest: string, config: string, section: string): Promise<string> {
  const output = new CollectedOutput();
  await runCommandLine(["render", manifest, "--config", config, "--nfacct=false", "--section", section], output);
  return output.text;
}

/** What kube-proxy restores: its own chains, whole; the jumps from base chains are there, with the same text. */
function asKubeProxy(rules: string): string {
  const lines = rules
    .split("\n")
    .filter((line) => !/^(?:-A|:)(?: ?)(?:PREROUTING|INPUT|FORWARD|OUTPUT|POSTROUTING) /.test(line));
  return lines.join("\n");
}

/** Returns once every stream has made some more connections. */
async function streamsGoOn({ talkers }: LiveNode): Promise<void> {
  for (const [from, at] of STREAMS) await talkers[from].more(nameOf(from, at), SIDE);
}

function withoutCounters(saved: string): string {
  return saved.replace(/^#.*|\[\d+:\d+\]/gm, "");
}

function nameOf(from: string, { address, port, protocol }: At): string {
  return `from ${from} to ${protocol ?? "tcp"} ${address} ${port}`;
}
