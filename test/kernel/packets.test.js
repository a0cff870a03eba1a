// Do real packets end where each `packets.yaml` says, through the rules that the node proxy put into a real kernel?
import "../support/enter-sandbox.js";
import t, {} from "tap";
import { clusterNames, readCluster } from "../support/cluster.js";
import { VARIANTS, variantSkip } from "../support/iptables-variant.js";
import { findingsOf } from "../support/packet-flow.js";
import { skipReason } from "../support/sandbox.js";
import { send, setScene } from "../support/scene.js";
import { limitTime } from "../support/time-limit.js";
import { makeTopology, removeTopology } from "../support/topology.js";
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
                    const scene = await setScene(cluster, topology, { variant, packets });
                    await Promise.all(scene.flows.map((flow) => testFlow(t, flow, scene)));
                    await scene.close();
                });
            }
        }
    });
}
async function testFlow(t, flow, scene) {
    if (flow.skip !== undefined) {
        t.pass(flow.name, { skip: flow.skip });
        return;
    }
    t.strictSame(findingsOf(await send(scene, flow), flow, scene.cluster), flow.expected, flow.name);
}
// A topology serves many clusters; one is only made anew for another name of the pods' interface.
function byPodInterface() {
    const groups = new Map();
    for (const cluster of clusterNames().map(readCluster)) {
        groups.set(cluster.podInterface, [...(groups.get(cluster.podInterface) ?? []), cluster]);
    }
    return groups;
}
