// Makes a node in a network namespace with a daemon that follows a folder of manifests.
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Test } from "tap";
import { FAMILIES, type Family } from "../../src/net/family.ts";
import { printTables } from "../../src/state/iptables-print.ts";
import { Daemon } from "./daemon.ts";
import { ourLines, withoutJumpOrder } from "./foreign-hand.ts";
import { FIXTURES } from "./golden.ts";
import { type Variant, variantEnvironment } from "./iptables-variant.ts";
import { commandIn } from "./namespace-command.ts";
import { makeNetns, type Netns, removeNetns } from "./netns.ts";
import type { Program } from "./program.ts";
import { savedTables } from "./saved-tables.ts";
import { INDEXED_BACKEND } from "./templates.ts";
import { wantedCluster } from "./wanted.ts";

const CLUSTER = readFileSync(join(FIXTURES, "clusters/s09-nodeport-cluster-policy/cluster.yaml"), "utf8");

const CONFIG = `apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clusterCIDR: 10.244.0.0/16,fd00:244::/56
hostnameOverride: worker-a
nodePortAddresses: [0.0.0.0/0, "::/0"]
iptables: {syncPeriod: 2s, minSyncPeriod: 10ms, localhostNodePorts: false}
conntrack: {maxPerCore: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
`;

// What the machine at hand would say is no matter here.
const FACTS = `addresses: [{interface: eth0, address: 192.0.2.10}]
iptablesVersion: 1.8.9
counters: {invalidDropped: false, localhostNodePorts: false}
tcpBeLiberal: false
`;

/** Milliseconds until rules that are not there count as never coming. */
const PATIENCE = 20_000;

/** A Service `load/s-<number>` at 10.96.100.<number> with one endpoint. */
export function manifestOf(number: number, endpoint: string): string {
  const name = `s-${number}`;
  return `---
apiVersion: v1
kind: Service
metadata: {namespace: load, name: ${name}}
spec: {type: ClusterIP, clusterIP: 10.96.100.${number}, clusterIPs: [10.96.100.${number}], ports: [{protocol: TCP, port: 80}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {namespace: load, name: ${name}-1, labels: {kubernetes.io/service-name: ${name}}}
addressType: IPv4
ports: [{name: "", protocol: TCP, port: 8080}]
endpoints: [{addresses: ["${endpoint}"]}]
`;
}

/** A node whose daemon follows a folder. */
export interface FollowedNode {
  readonly node: Netns;
  readonly env: NodeJS.ProcessEnv;
  /** Replaces the manifests, as a writer does that is never seen half way. */
  show(manifests: string): void;
  /** `program`: the command that starts the daemon; `flags`: more of them. */
  start(env?: NodeJS.ProcessEnv, program?: Program, flags?: readonly string[]): Daemon;
  saved(family: Family): Promise<readonly string[]>;
  /** Waits until the kernel holds what the newest manifests want, and fails with the difference when it never does. */
  settled(t: Test, name: string): Promise<void>;
}

/** `edit` changes the text of the configuration file. */
export async function makeFollowedNode(
  t: Test,
  variant: Variant,
  edit: (config: string) => string = (config) => config,
): Promise<FollowedNode> {
  const node = await makeNetns("followed");
  t.teardown(() => removeNetns(node));
  const folder = mkdtempSync("/run/fairlead-followed-");
  t.teardown(() => rmSync(folder, { recursive: true }));
  const [manifests, env, run] = [join(folder, "manifests"), variantEnvironment(variant), commandIn(node, variant)];
  mkdirSync(manifests);
  const config = edit(CONFIG);
  const backend = config.includes("layout: Indexed") ? INDEXED_BACKEND : undefined;
  writeFileSync(join(folder, "config.yaml"), config);
  writeFileSync(join(folder, "node-facts.yaml"), `${FACTS}iptablesVariant: ${variant}\n`);
  const flags = ["--manifests", manifests, "--config", join(folder, "config.yaml")];
  const saved = (family: Family) => savedTables(run, family);
  return {
    node,
    env,
    saved,
    show: (text) => {
      writeFileSync(join(folder, "next"), CLUSTER + text);
      renameSync(join(folder, "next"), join(manifests, "cluster.yaml"));
    },
    start: (own = env, program = undefined, more = []) => {
      const args = ["run", ...flags, "--node-facts", join(folder, "node-facts.yaml"), ...more];
      const daemon = new Daemon(args, node, own, program);
      t.teardown(() => daemon.kill());
      return daemon;
    },
    settled: async (t, name) => {
      const cluster = await wantedCluster(folder, name, "manifests/cluster.yaml", backend);
      for (const family of FAMILIES) {
        const wanted = withoutJumpOrder([...printTables(cluster.wanted(family))]);
        t.strictSame(
          await patient(wanted, async () => withoutJumpOrder(ourLines(await saved(family)))),
          wanted,
          `${name}: ${family}`,
        );
      }
    },
  };
}

async function patient(wanted: readonly string[], look: () => Promise<readonly string[]>): Promise<readonly string[]> {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const held = await look();
    if (isDeepStrictEqual(held, wanted) || Date.now() > end) return held;
    await setTimeout(50);
  }
}
