// Do real packets end where each `packets.yaml` says, through the rules that the node proxy put into a real kernel?
import "../support/enter-sandbox.ts";

import t, { type Test } from "tap";
import { type Cluster, clusterNames, readCluster } from "../support/cluster.ts";
import { flush, VARIANTS, type Variant, variantEnvironment, variantSkip } from "../support/iptables-variant.ts";
import { type Flow, findingsOf, flowOf, placements } from "../support/packet-flow.ts";
import { load } from "../support/proxy.ts";
import { skipReason } from "../support/sandbox.ts";
import { agentOf, makeTopology, place, removeTopology, type Topology } from "../support/topology.ts";

const skip = skipReason();

for (const variant of VARIANTS) {
  t.test(`through ${variant} rules`, { skip: skip || variantSkip(variant) }, async (t) => {
    for (const [podInterface, clusters] of byPodInterface()) {
      const topology = await makeTopology(podInterface);
      t.teardown(() => removeTopology(topology));
      for (const cluster of clusters) {
        await t.test(cluster.name, (t) => testCluster(t, { topology, cluster, variant }));
      }
    }
  });
}

interface Scene {
  readonly topology: Topology;
  readonly cluster: Cluster;
  readonly variant: Variant;
}

async function testCluster(t: Test, { topology, cluster, variant }: Scene): Promise<void> {
  const env = variantEnvironment(variant);
  const flows = cluster.cases.filter(({ modes }) => modes.includes("iptables")).map((packet) => flowOf(packet, cluster));
  await flush(topology.node, env);
  await place(topology, placements(cluster, flows));
  const stop = await load(cluster, topology.node, env);
  await Promise.all(flows.map((flow) => testFlow(t, flow, { topology, cluster, variant })));
  await stop();
}

async function testFlow(t: Test, flow: Flow, { topology, cluster }: Scene): Promise<void> {
  if (flow.skip !== undefined) {
    t.pass(flow.name, { skip: flow.skip });
    return;
  }
  const outcomes = await agentOf(topology, flow.sender).probe(flow.probe);
  t.strictSame(findingsOf(outcomes, flow, cluster), flow.expected, flow.name);
}

// A topology serves many clusters; one is only made anew for another name of the pods' interface.
function byPodInterface(): ReadonlyMap<string, readonly Cluster[]> {
  const groups = new Map<string, Cluster[]>();
  for (const cluster of clusterNames().map(readCluster)) {
    groups.set(cluster.podInterface, [...(groups.get(cluster.podInterface) ?? []), cluster]);
  }
  return groups;
}
