import { readCluster } from "./cluster.js";
import { flush, variantEnvironment } from "./iptables-variant.js";
import { flowOf, placements } from "./packet-flow.js";
import { startProxy } from "./proxy.js";
import { makeTopology, place, removeTopology } from "./topology.js";
/** Sets a cluster up in a topology, empty of rules before; `close` ends what keeps the rules there. */
export async function setScene(cluster, topology, { variant, packets }) {
    const env = variantEnvironment(variant);
    const flows = packets.map((packet) => flowOf(packet, cluster));
    await flush(topology.node, env);
    await place(topology, placements(cluster, flows));
    const { close } = await startProxy(cluster, topology.node, env);
    return { cluster, topology, flows, close };
}
/** A scene of one cluster for one test, gone with it. `choose` says which packets will be sent. */
export async function sceneOf(t, name, { variant, choose }) {
    const cluster = readCluster(name);
    const topology = await makeTopology(cluster.podInterface);
    t.teardown(() => removeTopology(topology));
    const scene = await setScene(cluster, topology, { variant, packets: choose(cluster) });
    t.teardown(() => scene.close());
    return scene;
}
/** Sends a flow, `count` times where that is given. */
export function send({ topology }, { sender, probe }, count = probe.count) {
    return topology[sender].agent.probe({ ...probe, count });
}
