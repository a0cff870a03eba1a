// Do real packets end in IPVS mode where each `packets.yaml` says?
import t, { type Test } from "tap";
import { type Cluster, clusterNames, readCluster } from "../support/cluster.ts";
import { guestProgram } from "../support/guest-program.ts";
import { type Flow, findingsOf } from "../support/packet-flow.ts";
import { makeStage, type Scene, type Stage, send, setScene } from "../support/scene.ts";

t.setTimeout(900_000);

/** Those that differ in what IPVS mode has; the others would take too long each time. */
const CHOSEN = "s04 s18 s28";

/** FAIRLEAD_PACKETS has the beginnings of other names, for a trial by hand, or is `all`. */
const WANTED = process.env.FAIRLEAD_PACKETS ?? CHOSEN;

for (const [first, ...others] of bySettings()) {
  if (!first) continue;
  t.test(`after ${first.name}`, async (t) => {
    const stage = await makeStage(t, first.podInterface, { variant: "nft", program: guestProgram(), mode: "ipvs" });
    for (const cluster of [first, ...others]) await t.test(cluster.name, (t) => testCluster(t, cluster, stage));
  });
}

async function testCluster(t: Test, cluster: Cluster, stage: Stage): Promise<void> {
  const packets = cluster.cases.filter(({ modes }) => modes.includes("ipvs"));
  const scene = await setScene(stage, cluster, packets);
  t.pass("the kernel took the rules");
  await Promise.all(scene.flows.map((flow) => testFlow(t, flow, scene)));
}

async function testFlow(t: Test, flow: Flow, scene: Scene): Promise<void> {
  if (flow.unable !== undefined) t.comment(`${flow.name}: not sent, ${flow.unable}`);
  else t.strictSame(findingsOf(await send(scene, flow), flow, scene.cluster), flow.expected, flow.name);
}

// Clusters of the same settings follow one another under one process: to start one takes long.
function bySettings(): readonly (readonly Cluster[])[] {
  const groups = new Map<string, Cluster[]>();
  const names = clusterNames().filter(
    (name) => WANTED === "all" || WANTED.split(" ").some((one) => name.startsWith(one)),
  );
  for (const cluster of names.map(readCluster)) {
    groups.set(cluster.settings, [...(groups.get(cluster.settings) ?? []), cluster]);
  }
  return [...groups.values()];
}
