// Ends the daemon with SIGTERM while its tools, the API server or the kernel keep it waiting, in a network namespace.
import "../support/enter-sandbox.ts";

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import t, { type Test } from "tap";
import { lockHolders } from "../../src/kernel/lock-holder.ts";
import { Daemon } from "../support/daemon.ts";
import { FIXTURES } from "../support/golden.ts";
import { inNamespace, variantEnvironment, variantSkip } from "../support/iptables-variant.ts";
import { makeNetns, ownNetns, removeNetns } from "../support/netns.ts";
import { built, type Program, SOURCES } from "../support/program.ts";
import { skipReason } from "../support/sandbox.ts";

t.setTimeout(600_000);

const skip = skipReason();

// Most of the time passes waiting for a limit, so the tests run side by side, each in a namespace of its own.
t.jobs = 6;
const nft = { buffered: true, skip: skip || variantSkip("nft") };
const CLUSTER = readFileSync(join(FIXTURES, "clusters/s09-nodeport-cluster-policy/cluster.yaml"), "utf8");
const DONE = /"SyncProxyRules complete" ipFamily="IPv4"/;

const CONFIG = `apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clusterCIDR: 10.244.0.0/16
hostnameOverride: worker-a
iptables: {syncPeriod: 2s, minSyncPeriod: 10ms}
conntrack: {maxPerCore: 0}
`;

/** A tool that never ends, and whose child does not either; each writes its process id down. */
const HANGS = `sleep 100000 & echo $$ $! >>"$FOLDER/pids"; wait`;

/** The same, but SIGTERM does not end it. */
const IGNORES_SIGTERM = `trap '' TERM; ${HANGS}; ${HANGS}`;

/** The real tool, which gets its input so slowly that it takes minutes. */
const SLOW = `echo $$ >>"$FOLDER/pids"; while IFS= read -r line; do echo "$line"; sleep 1; done | exec "$REAL" "$@"`;

interface Setting {
  readonly variant?: "nft" | "legacy";
  readonly program?: Program;
}

async function setUp(t: Test, { variant = "nft", program = SOURCES }: Setting = {}) {
  const node = await makeNetns("stop");
  t.teardown(() => removeNetns(node));
  const folder = mkdtempSync("/run/fairlead-stop-");
  t.teardown(() => rmSync(folder, { recursive: true }));
  const path = (name: string) => join(folder, name);
  writeFileSync(path("config.yaml"), CONFIG);
  writeFileSync(path("cluster.yaml"), CLUSTER);
  const real = variantEnvironment(variant);
  const env = { ...real, FOLDER: folder, PATH: `${folder}:${real.PATH ?? ""}` };
  const pids = () =>
    existsSync(path("pids"))
      ? readFileSync(path("pids"), "utf8")
          .split(/\s+/)
          .filter((text) => text !== "")
      : [];
  t.teardown(() => {
    for (const pid of pids().filter(isRunning)) process.kill(Number(pid), "SIGKILL");
  });
  const daemons: Daemon[] = [];
  return {
    node,
    folder,
    start: (...source: readonly string[]) => {
      const flags = source.length > 0 ? source : ["--manifests", path("cluster.yaml")];
      const daemon = new Daemon(["run", "--config", path("config.yaml"), ...flags], node, env, program);
      t.teardown(() => daemon.stop("SIGKILL"));
      daemons.push(daemon);
      return daemon;
    },
    /** Puts a shell script in the place of a tool. */
    replace: (name: string, script: string) => {
      const tool = `${real.PATH}/${name}`;
      writeFileSync(path(name), `#!/bin/sh\nREAL=${tool}\n${script}\n`, { mode: 0o755 });
    },
    restoreTool: (name: string) => rmSync(path(name)),
    /** Waits until the tools that were replaced run, and returns their process ids. */
    hung: async () => {
      while (pids().length === 0) {
        const ended = daemons.at(-1);
        if (ended?.hasEnded)
          throw new Error(`the daemon ended before its tool hung: ${ended.lines.slice(-3).join("")}`);
        await sleep(20);
      }
      return pids();
    },
    show: (text: string) => writeFileSync(path("cluster.yaml"), text),
    save: () => inNamespace(node, ["iptables-save"], { env: real }),
  };
}

function isRunning(pid: string): boolean {
  try {
    return !/^\S+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** Sends SIGTERM and waits for the end; the tools must have ended too. */
async function endsWithItsTools(t: Test, daemon: Daemon, pids: readonly string[]): Promise<number | null> {
  const begin = performance.now();
  const code = await daemon.stop();
  t.comment(`ended with ${code} after ${((performance.now() - begin) / 1000).toFixed(1)} s`);
  for (let look = 0; look < 100 && pids.some(isRunning); look++) await sleep(50);
  t.strictSame(pids.filter(isRunning), [], "no tool is left running");
  return code;
}

t.test("a sync in progress finishes before the daemon ends", nft, async (t) => {
  const { start, replace, hung, save } = await setUp(t);
  replace("iptables-restore", `echo $$ >>"$FOLDER/pids"; sleep 2; exec "$REAL" "$@"`);
  const daemon = start();
  t.equal(await endsWithItsTools(t, daemon, await hung()), 0);
  t.match(await save(), /KUBE-SVC-/);
});

const CASES: readonly [name: string, tool: string, script: string][] = [
  ["an iptables-restore that hangs", "iptables-restore", HANGS],
  ["an iptables-restore that hangs and ignores SIGTERM", "iptables-restore", IGNORES_SIGTERM],
  ["an iptables-save that hangs", "iptables-save", HANGS],
  ["an iptables that hangs before the first sync", "iptables", HANGS],
  ["a restore that takes minutes", "iptables-restore", SLOW],
];

for (const [index, [name, tool, script]] of CASES.entries()) {
  t.test(`SIGTERM ends the daemon and ${name}`, nft, async (t) => {
    // The sources are slower to start than the built program; the first case is enough for coverage.
    const { start, replace, hung } = await setUp(t, { program: index === 0 ? SOURCES : built() });
    replace(tool, script);
    const daemon = start();
    const pids = await hung();
    t.equal(await endsWithItsTools(t, daemon, pids), 0);
    t.match(daemon.lines.join("\n"), /"Shutdown takes too long; terminating running programs" programs=/);
  });
}

t.test("the start after an interrupted restore completes the rules", nft, async (t) => {
  const { start, replace, restoreTool, hung, save, show } = await setUp(t);
  const first = start();
  await first.said(DONE);
  t.equal(await first.stop(), 0);
  const before = await save();
  replace("iptables-restore", SLOW);
  show(CLUSTER.replaceAll("10.244.1.", "10.244.7."));
  const interrupted = start();
  await endsWithItsTools(t, interrupted, await hung());
  const chains = (text: string) => text.match(/^:KUBE-\S+|^-A KUBE-.*/gm);
  t.strictSame(chains(await save()), chains(before), "the rules in the kernel are whole");
  restoreTool("iptables-restore");
  const next = start();
  await next.said(DONE);
  t.match(await save(), /10\.244\.7\./);
  t.equal(await next.stop(), 0);
});

t.test(
  "SIGTERM ends a daemon whose tools wait for the xtables lock",
  {
    skip: skip || variantSkip("legacy"),
  },
  async (t) => {
    const { start, show } = await setUp(t, { variant: "legacy" });
    const daemon = start();
    await daemon.said(DONE);
    const holder = spawn("flock", ["/run/xtables.lock", "sleep", "100000"], { detached: true, stdio: "ignore" });
    t.teardown(() => holder.pid !== undefined && process.kill(-holder.pid, "SIGKILL"));
    while ((await lockHolders()).length === 0) await sleep(20);
    show(CLUSTER.replaceAll("10.244.1.", "10.244.7."));
    const waiting = () => childrenOf(daemon.pid).filter((pid) => nameOf(pid).includes("restore"));
    while (waiting().length === 0) await sleep(20);
    await endsWithItsTools(t, daemon, waiting());
  },
);

t.test("SIGTERM ends a daemon that waits for an API server", nft, async (t) => {
  const node = await ownNetns("stop-api");
  t.teardown(() => node.agent.close());
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const folder = mkdtempSync("/run/fairlead-stop-");
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "config.yaml"), CONFIG);
  const flags = ["run", "--config", join(folder, "config.yaml"), "--master", `http://127.0.0.1:${port}`];
  const daemon = new Daemon(flags, node, variantEnvironment("nft"), SOURCES);
  t.teardown(() => daemon.stop("SIGKILL"));
  let asked = false;
  server.once("connection", () => {
    asked = true;
  });
  while (!asked) {
    if (daemon.hasEnded) throw new Error(`the daemon ended: ${daemon.lines.slice(-3).join("")}`);
    await sleep(20);
  }
  t.equal(await endsWithItsTools(t, daemon, []), 0);
});

t.test("a credential plugin that hangs does not outlive the daemon", nft, async (t) => {
  const { folder, start, hung } = await setUp(t);
  writeFileSync(join(folder, "plugin"), `#!/bin/sh\necho $$ >>"$FOLDER/pids"\nexec sleep 100000\n`, { mode: 0o755 });
  writeFileSync(
    join(folder, "kubeconfig"),
    `apiVersion: v1
kind: Config
current-context: c
clusters: [{name: c, cluster: {server: "http://127.0.0.1:9"}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
users:
- name: u
  user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: ${folder}/plugin, interactiveMode: Never}}
`,
  );
  writeFileSync(join(folder, "config.yaml"), `${CONFIG}clientConnection: {kubeconfig: ${folder}/kubeconfig}\n`);
  const daemon = start("--hostname-override=worker-a");
  t.equal(await endsWithItsTools(t, daemon, await hung()), 0);
});

t.test("a second signal ends the daemon and a hung tool at once", nft, async (t) => {
  const { start, replace, hung } = await setUp(t);
  replace("iptables-restore", IGNORES_SIGTERM);
  const daemon = start();
  const pids = await hung();
  daemon.signal("SIGTERM");
  await sleep(200);
  t.equal(await endsWithItsTools(t, daemon, pids), null, "as kube-proxy, by the signal");
  t.notMatch(daemon.lines.join("\n"), /Shutdown takes too long/);
});

t.test("as process 1 of a container, a second signal ends it with status 2", nft, async (t) => {
  const program = ["unshare", "--pid", "--fork", "--kill-child", ...SOURCES];
  const { start, replace, hung } = await setUp(t, { program });
  replace("iptables-restore", IGNORES_SIGTERM);
  const daemon = start();
  await hung();
  const [init = ""] = childrenOf(daemon.pid);
  for (const pause of [300, 0]) {
    process.kill(Number(init), "SIGTERM");
    await sleep(pause);
  }
  t.equal((await daemon.finish()).code, 2);
});

t.test("a daemon that ends by itself does not wait for a hung tool", nft, async (t) => {
  const { folder, start, replace, hung } = await setUp(t);
  replace("iptables-restore", IGNORES_SIGTERM);
  const daemon = start();
  const pids = await hung();
  writeFileSync(join(folder, "config.yaml"), `${CONFIG}bindAddress: 0.0.0.0\n`);
  t.equal((await daemon.finish()).code, 1);
  t.match(daemon.lines.at(-1), /configuration file was updated/);
  t.strictSame(pids.filter(isRunning), []);
});

/** A tool with a child that leaves its process group and keeps its output open. */
const ESCAPES = `setsid sleep 100000 & echo $$ $! >>"$FOLDER/pids"; wait`;

t.test("the daemon ends although a tool's child holds its output open", nft, async (t) => {
  const { start, replace, hung } = await setUp(t);
  replace("iptables-restore", ESCAPES);
  const daemon = start();
  await hung();
  t.equal(await daemon.stop(), null, "by the signal");
  t.match(daemon.lines.join("\n"), /"Shutdown did not finish in time; exiting"/);
});

t.test("so it does when it ends by itself, with its error", nft, async (t) => {
  const { folder, start, replace, hung } = await setUp(t);
  replace("iptables-restore", ESCAPES);
  const daemon = start();
  await hung();
  writeFileSync(join(folder, "config.yaml"), `${CONFIG}bindAddress: 0.0.0.0\n`);
  t.equal((await daemon.finish()).code, 1);
  t.match(daemon.lines.join("\n"), /"Shutdown did not finish in time; exiting" err="content of .* was updated"/);
});

function nameOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

function childrenOf(pid: number): readonly string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
}
