// Do real packets end where each `packets.yaml` says, through the rules that the node proxy put into a real kernel?
import "../support/enter-sandbox.ts";

import t, { type Test } from "tap";
import { type Cluster, clusterNames, readCluster } from "../support/cluster.ts";
import { VARIANTS, variantSkip } from "../support/iptables-variant.ts";
import { type Flow, findingsOf } from "../support/packet-flow.ts";
import { built } from "../support/program.ts";
import { skipReason } from "../support/sandbox.ts";
import { type Scene, send, setScene } from "../support/scene.ts";
import { limitTime } from "../support/time-limit.ts";
import { makeTopology, removeTopology } from "../support/topology.ts";

// Every cluster starts a node proxy, on two variants.
limitTime(600_000);

const skip = skipReason();

for (const variant of VARIANTS) {
  t.test(`through ${variant} rules`, { skip: skip || variantSkip(variant) }, async (t) => {
    for (const [podInterface, clusters] of byPodInterface()) {
      const topology = await makeTopology(podInterface);
      t.teardown(() => removeTopology(topology));
      for (const cluster of clusters) {
        await t.test(cluster.name, async (t) => {
          const packets = cluster.cases.filter(({ modes }) => modes.includes("iptables"));
          const scene = await setScene(cluster, topology, { variant, program: built(), packets });
          await Promise.all(scene.flows.map((flow) => testFlow(t, flow, scene)));
          await scene.close();
        });
      }
    }
  });
}

async function testFlow(t: Test, flow: Flow, scene: Scene): Promise<void> {
  if (flow.skip !== undefined) {
    t.pass(flow.name, { skip: flow.skip });
    return;
  }
  t.strictSame(findingsOf(await send(scene, flow), flow, scene.cluster), flow.expected, flow.name);
}

// A topology serves many clusters; one is only made anew for another name of the pods' interface.
function byPodInterface(): ReadonlyMap<string, readonly Cluster[]> {
  const groups = new Map<string, Cluster[]>();
  for (const cluster of clusterNames().map(readCluster)) {
    groups.set(cluster.podInterface, [...(groups.get(cluster.podInterface) ?? []), cluster]);
  }
  return groups;
}
