// How is everything set up for one cluster: addresses, servers and rules?
import type { Test } from "tap";
import type { Outcome } from "./agent.ts";
import { type Cluster, readCluster } from "./cluster.ts";
import { flush, type Variant, variantEnvironment } from "./iptables-variant.ts";
import type { PacketCase } from "./packet-case.ts";
import { type Flow, flowOf, placements } from "./packet-flow.ts";
import type { Program } from "./program.ts";
import { startProxy } from "./proxy.ts";
import { makeTopology, place, removeTopology, type Topology } from "./topology.ts";

export interface Scene {
  readonly cluster: Cluster;
  readonly topology: Topology;
  readonly flows: readonly Flow[];
}

/** Whose rules, and through which kernel interface. */
export interface Rules {
  readonly variant: Variant;
  readonly program: Program;
}

/** Sets a cluster up in a topology, empty of rules before; `close` ends what keeps the rules there. */
export async function setScene(
  cluster: Cluster,
  topology: Topology,
  { variant, program, packets }: Rules & { readonly packets: readonly PacketCase[] },
): Promise<Scene & { close(): Promise<void> }> {
  const env = variantEnvironment(variant);
  const flows = packets.map((packet) => flowOf(packet, cluster));
  await flush(topology.node, env);
  await place(topology, placements(cluster, flows));
  const { close } = await startProxy(cluster, topology.node, { program, env });
  return { cluster, topology, flows, close };
}

/** A scene of one cluster for one test, gone with it. `choose` says which packets will be sent. */
export async function sceneOf(
  t: Test,
  name: string,
  { choose, ...rules }: Rules & { readonly choose: (cluster: Cluster) => readonly PacketCase[] },
): Promise<Scene> {
  const cluster = readCluster(name);
  const topology = await makeTopology(cluster.podInterface);
  t.teardown(() => removeTopology(topology));
  const scene = await setScene(cluster, topology, { ...rules, packets: choose(cluster) });
  t.teardown(() => scene.close());
  return scene;
}

/** Sends a flow, `count` times where that is given. */
export function send({ topology }: Scene, { sender, probe }: Flow, count = probe.count): Promise<readonly Outcome[]> {
  return topology[sender].agent.probe({ ...probe, count });
}
