// How is everything set up for a cluster: addresses, servers and rules?
import type { Test } from "tap";
import type { Outcome } from "./agent.ts";
import { type Cluster, readCluster } from "./cluster.ts";
import { inNamespace, type Variant, variantEnvironment } from "./iptables-variant.ts";
import { configure } from "./netns.ts";
import { NodeProxy } from "./node-proxy.ts";
import type { PacketCase } from "./packet-case.ts";
import { type Flow, flowOf, placements } from "./packet-flow.ts";
import type { Program } from "./program.ts";
import { makeTopology, NODE, place, removeTopology, type Topology } from "./topology.ts";

/** A network with a node proxy in it, for clusters of the same settings one after the other. */
export interface Stage {
  readonly topology: Topology;
  readonly proxy: NodeProxy;
  readonly env: NodeJS.ProcessEnv;
}

export interface Scene {
  readonly cluster: Cluster;
  readonly topology: Topology;
  readonly flows: readonly Flow[];
}

/** A stage for one test, gone with it. */
export async function makeStage(t: Test, podInterface: string, rules: Rules): Promise<Stage> {
  const { variant, ...proxying } = rules;
  const env = variantEnvironment(variant);
  const topology = await makeTopology(podInterface);
  if (rules.mode === "ipvs") await giveSources(topology);
  const proxy = new NodeProxy({ node: topology.node, env, ...proxying });
  t.teardown(async () => {
    await proxy.close();
    await removeTopology(topology);
  });
  return { topology, proxy, env };
}

/**
 * An address of IPv6 on each way out: the kernel masquerades with one of that interface or, where that has none, with the
 * one that is most like the destination, which may be a virtual server's.
 */
export function giveSources({ node, podInterface }: Topology): Promise<void> {
  return configure(
    node.name,
    ["eth1", podInterface].map((device) => `addr add ${NODE.v6}/128 dev ${device} nodad`),
  );
}

/** Whose rules, and through which kernel interface. */
export interface Rules {
  readonly variant: Variant;
  readonly program: Program;
  /** Absent: what clusters' configurations say. */
  readonly mode?: "ipvs";
  readonly layout?: "Indexed";
}

/** Puts a cluster on a stage, ready for these packets. No connection of before is remembered. */
export async function setScene(stage: Stage, cluster: Cluster, packets: readonly PacketCase[]): Promise<Scene> {
  const { topology, proxy, env } = stage;
  const flows = packets.map((packet) => flowOf(packet, cluster));
  await place(topology, placements(cluster, flows));
  await proxy.show(cluster);
  await inNamespace(topology.node, ["conntrack", "-F"], { env });
  return { cluster, topology, flows };
}

/** A stage for one cluster. `choose` says which packets will be sent. */
export async function sceneOf(
  t: Test,
  name: string,
  { choose, ...rules }: Rules & { readonly choose: (cluster: Cluster) => readonly PacketCase[] },
): Promise<Scene> {
  const cluster = readCluster(name);
  return setScene(await makeStage(t, cluster.podInterface, rules), cluster, choose(cluster));
}

/** Sends a flow, `count` times where that is given. */
export function send({ topology }: Scene, { sender, probe }: Flow, count = probe.count): Promise<readonly Outcome[]> {
  return topology[sender].agent.probe({ ...probe, count });
}
