// Does the daemon start, do its one-shot work and end as kube-proxy does? In a network namespace of its own.
import "../support/enter-sandbox.ts";

import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
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

t.test("kubelet's variant is the daemon's, whatever the bare name stands for", { skip }, async (t) => {
  const { daemon, say } = await setUp(t);
  await say("iptables-legacy", "-t", "mangle", "-N", "KUBE-IPTABLES-HINT");
  const running = daemon("--manifests", CLUSTER);
  await running.said(DONE);
  t.match(await say("iptables-legacy-save"), /KUBE-SVC-/);
  t.notMatch(await say("iptables-nft-save"), /KUBE-/);
  t.equal(await running.stop(), 0);
  const cleaning = daemon("--cleanup", "--proxy-mode=ipvs");
  t.equal((await cleaning.finish()).code, 0, "no API server is needed");
  t.notMatch(await say("iptables-legacy-save"), /KUBE-SVC-|KUBE-SERVICES/);
  t.match(await say("iptables-legacy-save"), /:KUBE-IPTABLES-HINT /);
});

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
  for (const name of ["iptables-nft-restore", "ip6tables-nft-restore"])
    writeFileSync(join(folder, name), "#!/bin/sh\nexit 4\n", { mode: 0o755 });
  const env = sandboxEnvironment();
  const cleaning = new Daemon(["--cleanup"], node, { ...env, PATH: `${folder}:${env.PATH ?? ""}` }, SOURCES);
  t.equal((await cleaning.finish()).code, 1);
  t.match(cleaning.lines.at(-2), /^W.*"Clean-up" reason="IPv4: iptables-nft-restore /);
  t.match(cleaning.lines.at(-1), /"command failed" err="encountered an error while tearing down rules"/);
});

/** How long a tool takes that is asked in the midst of a pass whether it may end. */
const SLOW = "sleep 2";

for (const [name, times, code] of [
  ["asked to end in the midst of a pass, it ends well after it", 1, 0],
  ["asked twice, it ends at once", 2, null],
] as const) {
  t.test(name, { skip }, async (t) => {
    const { node, folder, config, say } = await setUp(t);
    const tool = (await say("sh", "-c", "command -v iptables-nft-restore")).trim();
    const tools = mkdtempSync("/run/fairlead-tools-");
    t.teardown(() => rmSync(tools, { recursive: true }));
    const script = `#!/bin/sh\necho >>${folder}/asked\n${SLOW}\nexec ${tool} "$@"\n`;
    writeFileSync(join(tools, "iptables-nft-restore"), script, { mode: 0o755 });
    const env = sandboxEnvironment();
    const flags = [`--config=${config}`, "--hostname-override=worker-a", "--manifests", CLUSTER];
    const running = new Daemon(flags, node, { ...env, PATH: `${tools}:${env.PATH ?? ""}` }, SOURCES);
    t.teardown(() => running.stop("SIGKILL"));
    while (!existsSync(join(folder, "asked"))) await setTimeout(20);
    for (let time = 1; time < times; time++) {
      running.signal("SIGTERM");
      await setTimeout(200);
    }
    t.equal(await running.stop(), code);
  });
}

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
