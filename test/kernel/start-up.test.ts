// Starts the daemon, lets it do its one-shot work, and ends it, in a network namespace of its own.
import "../support/enter-sandbox.ts";

import { copyFileSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import t, { type Test } from "tap";
import { Daemon } from "../support/daemon.ts";
import { FIXTURES } from "../support/golden.ts";
import { inNamespace } from "../support/iptables-variant.ts";
import { makeNetns, type Netns, removeNetns } from "../support/netns.ts";
import { SOURCES } from "../support/program.ts";
import { sandboxEnvironment, skipReason } from "../support/sandbox.ts";

const skip = skipReason();
t.setTimeout(300_000);

const CLUSTER = join(FIXTURES, "clusters/s09-nodeport-cluster-policy/cluster.yaml");
const DONE = /"SyncProxyRules complete" ipFamily="IPv4"/;
const WRAPPER = fileURLToPath(new URL("../../scripts/deploy/iptables-wrapper", import.meta.url));
const LOCALHOST = "/proc/sys/net/ipv4/conf/all/route_localnet";

// The whole table of conntrack belongs to the machine, so nothing but that may be asked of it in here.
const CONFIG = `apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clusterCIDR: 10.244.0.0/16
conntrack: {maxPerCore: 0}
healthzBindAddress: 127.0.0.1:10256
`;

async function setUp(t: Test) {
  const node = await makeNetns("start");
  t.teardown(() => removeNetns(node));
  const folder = mkdtempSync("/run/fairlead-start-");
  t.teardown(() => rmSync(folder, { recursive: true }));
  const config = join(folder, "config.conf");
  writeFileSync(config, CONFIG);
  const env = sandboxEnvironment();
  const daemon = (...flags: string[]) => {
    const started = new Daemon([`--config=${config}`, "--hostname-override=worker-a", ...flags], node, env, SOURCES);
    t.teardown(() => started.stop("SIGKILL"));
    return started;
  };
  const say = (...command: string[]) => inNamespace(node, command, { env });
  return { node, config, folder, daemon, say };
}

async function localhostOf({ path }: Netns): Promise<string> {
  return (await execa("nsenter", [`--net=${path}`, "cat", LOCALHOST])).stdout;
}

t.test("--init-only does what takes rights, writes no rule, and ends", { skip }, async (t) => {
  const { node, daemon, say } = await setUp(t);
  await say("nft", "add table ip kube-proxy; add table ip6 kube-proxy; add table inet kube-proxy");
  const { code } = await daemon("--init-only", "--manifests", CLUSTER).finish();
  t.equal(code, 0);
  t.equal(await localhostOf(node), "1");
  t.equal((await say("nft", "list", "tables")).trim(), "table inet kube-proxy", "what mode nftables left is gone");
  t.notMatch(await say("iptables-save"), /KUBE-/);
});

t.test("the iptables of the PATH is used, whatever variant kubelet's chains are in", { skip }, async (t) => {
  const { daemon, say } = await setUp(t);
  await say("iptables-legacy", "-t", "mangle", "-N", "KUBE-IPTABLES-HINT");
  const running = daemon("--manifests", CLUSTER);
  await running.said(DONE);
  const plain = (await say("iptables", "--version")).includes("nf_tables") ? "nft" : "legacy";
  t.match(await running.said(/"iptables programs"/), [
    new RegExp(`iptables="/\\S+/iptables \\(${plain}\\)" ip6tables="/\\S+/ip6tables .*" reason="named by the PATH"`),
  ]);
  t.match(await say("iptables-save"), /KUBE-SVC-/);
  t.notMatch(await say(`iptables-${plain === "nft" ? "legacy" : "nft"}-save`), /KUBE-SVC-/);
  t.equal(await running.stop(), 0);
});

t.test("where iptables wraps both variants, as in the image, kubelet's variant is used", { skip }, async (t) => {
  const { node, config, say } = await setUp(t);
  const tools = mkdtempSync("/run/fairlead-tools-");
  t.teardown(() => rmSync(tools, { recursive: true }));
  copyFileSync(WRAPPER, join(tools, "iptables-wrapper"));
  for (const name of ["iptables", "ip6tables"])
    for (const command of ["", "-save", "-restore"]) symlinkSync("iptables-wrapper", join(tools, `${name}${command}`));
  const env = { ...sandboxEnvironment(), PATH: `${tools}:${sandboxEnvironment().PATH ?? ""}` };
  const wrapped = (...command: string[]) => inNamespace(node, command, { env });
  await say("iptables-nft", "-t", "filter", "-N", "OTHERS");
  t.match(await wrapped("iptables", "--version"), /nf_tables/, "without kubelet the wrapper runs nft");
  await say("ip6tables-legacy", "-t", "mangle", "-N", "KUBE-IPTABLES-HINT");
  t.match(await wrapped("iptables-restore", "--version"), /legacy/, "the wrapper itself finds kubelet's variant");
  const flags = ["--config", config, "--hostname-override=worker-a", "--manifests", CLUSTER];
  const running = new Daemon(flags, node, env, SOURCES);
  t.teardown(() => running.stop("SIGKILL"));
  await running.said(DONE);
  t.match(await running.said(/"iptables programs"/), [
    /iptables="\/\S+\/iptables-legacy \(legacy\)".*kubelet's chains/,
  ]);
  t.match(await say("iptables-legacy-save"), /KUBE-SVC-/);
  t.notMatch(await say("iptables-nft-save"), /KUBE-/);
  t.equal(await running.stop(), 0);
  const cleaning = new Daemon(["--cleanup", "--proxy-mode=ipvs"], node, env, SOURCES);
  t.equal((await cleaning.finish()).code, 0, "no API server is needed");
  t.notMatch(await say("iptables-legacy-save"), /KUBE-SVC-|KUBE-SERVICES/);
  t.match(await say("ip6tables-legacy-save"), /:KUBE-IPTABLES-HINT /);
  await say("iptables-nft", "-t", "mangle", "-N", "KUBE-IPTABLES-HINT");
  t.match(await wrapped("iptables", "--version"), /nf_tables/, "kubelet's chains in nft go first");
});

t.test("iptables and ip6tables may be of different variants, and ip6tables may be missing", { skip }, async (t) => {
  const { node, config, say } = await setUp(t);
  const tools = mkdtempSync("/run/fairlead-tools-");
  t.teardown(() => rmSync(tools, { recursive: true }));
  const link = async (name: string, program: string) =>
    symlinkSync((await say("sh", "-c", `command -v ${program}`)).trim(), join(tools, name));
  for (const name of ["setpriv", "nsenter"]) await link(name, name);
  for (const command of ["", "-save", "-restore"]) {
    await link(`iptables${command}`, `iptables-nft${command}`);
    await link(`ip6tables${command}`, `ip6tables-legacy${command}`);
  }
  const start = () => {
    const flags = ["--config", config, "--hostname-override=worker-a", "--manifests", CLUSTER];
    const daemon = new Daemon(flags, node, { ...sandboxEnvironment(), PATH: tools }, SOURCES);
    t.teardown(() => daemon.stop("SIGKILL"));
    return daemon;
  };
  const mixed = start();
  await mixed.said(/"SyncProxyRules complete" ipFamily="IPv6"/);
  await mixed.said(DONE);
  t.match(await mixed.said(/"iptables programs"/), [/\/iptables \(nft\)" ip6tables="\S+\/ip6tables \(legacy\)"/]);
  t.match(await say("iptables-nft-save"), /:KUBE-SERVICES/);
  t.match(await say("ip6tables-legacy-save"), /:KUBE-SERVICES/);
  t.notMatch(await say("ip6tables-nft-save"), /KUBE-/);
  t.equal(await mixed.stop(), 0);
  for (const command of ["", "-save", "-restore"]) rmSync(join(tools, `ip6tables${command}`));
  const alone = start();
  t.match(await alone.said(/"iptables programs"/), [/ip6tables="ip6tables-nft is not on the PATH"/]);
  t.match(await alone.said(/"Starting" mode=/), [/families="IPv4"/]);
  t.equal(await alone.stop(), 0);
});

t.test("a variant that is set in the node facts is used, or the start fails", { skip }, async (t) => {
  const { daemon, folder, say } = await setUp(t);
  const facts = join(folder, "facts.yaml");
  const plain = (await say("iptables", "--version")).includes("nf_tables") ? "nft" : "legacy";
  const other = plain === "nft" ? "legacy" : "nft";
  writeFileSync(facts, `iptablesVariant: ${other}\n`);
  const running = daemon("--manifests", CLUSTER, "--node-facts", facts);
  await running.said(DONE);
  t.match(await running.said(/"iptables programs"/), [/reason="variant set in the node facts"/]);
  t.match(await say(`iptables-${other}-save`), /KUBE-SVC-/);
  t.equal(await running.stop(), 0);
});

const LIBERAL: readonly [name: string, config: string | undefined, flags: readonly string[]][] = [
  ["conntrack.tcpBeLiberal", CONFIG.replace("maxPerCore: 0", "maxPerCore: 0, tcpBeLiberal: true"), []],
  ["--conntrack-tcp-be-liberal", undefined, ["--conntrack-max-per-core=0", "--conntrack-tcp-be-liberal"]],
];

for (const [name, text, flags] of LIBERAL) {
  t.test(`${name} leaves out the INVALID drop rule from the first start on`, { skip }, async (t) => {
    const { config, node, say } = await setUp(t);
    const setting = "/proc/sys/net/netfilter/nf_conntrack_tcp_be_liberal";
    t.equal((await execa("nsenter", [`--net=${node.path}`, "cat", setting])).stdout, "0");
    if (text !== undefined) writeFileSync(config, text);
    const settings = text === undefined ? flags : ["--config", config];
    const all = [...settings, "--hostname-override=worker-a", "--manifests", CLUSTER];
    const running = new Daemon(all, node, sandboxEnvironment(), SOURCES);
    t.teardown(() => running.stop("SIGKILL"));
    await running.said(DONE);
    t.equal((await execa("nsenter", [`--net=${node.path}`, "cat", setting])).stdout, "1");
    t.match(await say("iptables-save", "-t", "filter"), /-A KUBE-FORWARD /);
    t.notMatch(await say("iptables-save", "-t", "filter"), /INVALID/);
    t.equal(await running.stop(), 0);
  });
}

t.test("a configuration file that is written ends it; one that is replaced does not", { skip }, async (t) => {
  const { config, folder, daemon } = await setUp(t);
  const running = daemon("--manifests", CLUSTER);
  await running.said(DONE);
  const next = join(folder, "next");
  writeFileSync(next, `${CONFIG}mode: ipvs\n`);
  renameSync(next, config);
  await running.said(/^W.*"The configuration file was replaced; .*" path=/);
  t.equal(await running.stop(), 0);
  writeFileSync(config, CONFIG);
  const again = daemon("--manifests", CLUSTER);
  await again.said(/"Starting" mode=/);
  writeFileSync(config, `${CONFIG}mode: ipvs\n`);
  t.equal((await again.finish()).code, 1);
  t.match(again.lines.at(-1), /err="content of the proxy server's configuration file was updated"/);
});

t.test("a node that cannot be served is told so, with 1", { skip }, async (t) => {
  const { daemon, folder } = await setUp(t);
  const facts = join(folder, "facts.yaml");
  writeFileSync(facts, "families: []\n");
  const blind = daemon("--manifests", CLUSTER, "--node-facts", facts);
  t.equal((await blind.finish()).code, 1);
  t.match(blind.lines.at(-1), /"command failed" err="iptables is not available on this host : its nat table/);
});

t.test("a clean-up that fails ends with 1", { skip }, async (t) => {
  const { node, say } = await setUp(t);
  await say("iptables-nft", "-t", "nat", "-N", "KUBE-SERVICES");
  const folder = mkdtempSync("/run/fairlead-tools-");
  t.teardown(() => rmSync(folder, { recursive: true }));
  for (const name of ["iptables-restore", "ip6tables-restore"])
    writeFileSync(join(folder, name), "#!/bin/sh\nexit 4\n", { mode: 0o755 });
  const env = sandboxEnvironment();
  const cleaning = new Daemon(["--cleanup"], node, { ...env, PATH: `${folder}:${env.PATH ?? ""}` }, SOURCES);
  t.equal((await cleaning.finish()).code, 1);
  t.match(cleaning.lines.at(-2), /^W.*"Clean-up" reason="IPv4: iptables-restore /);
  t.match(cleaning.lines.at(-1), /"command failed" err="encountered an error while tearing down rules"/);
});

t.test("a set of somebody else's makes the layout Compat", { skip }, async (t) => {
  const { config, daemon, say } = await setUp(t);
  writeFileSync(config, `${CONFIG}iptables: {layout: Indexed}\n`);
  await say("ipset", "create", "KUBE-IX-CLUSTER-IP", "hash:net");
  const running = daemon("--manifests", CLUSTER);
  await running.said(DONE);
  t.match(
    running.lines.join("\n"),
    /KUBE-IX-CLUSTER-IP: type hash:net, expected hash:ip,port; run \\"fairlead cleanup\\"/,
  );
  t.match(await say("iptables-save"), /KUBE-SVC-/);
  t.equal(await running.stop(), 0);
});

t.test("without a way to an API server there is nothing to follow", { skip }, async (t) => {
  const { daemon } = await setUp(t);
  const lost = daemon();
  t.equal((await lost.finish()).code, 1);
  t.match(lost.lines.at(-1), /"command failed" err=".*KUBERNETES_SERVICE_HOST/);
});
