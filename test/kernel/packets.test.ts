// Do real packets end where each `packets.yaml` says, through the rules that the node proxy put into a real kernel?
import "../support/enter-sandbox.ts";

import t, { type Test } from "tap";
import { type Cluster, clusterNames, readCluster } from "../support/cluster.ts";
import { ipsetSkipReason } from "../support/ipset-tool.ts";
import { VARIANTS, type Variant, variantSkip } from "../support/iptables-variant.ts";
import { type Flow, findingsOf } from "../support/packet-flow.ts";
import { built } from "../support/program.ts";
import { skipReason } from "../support/sandbox.ts";
import { makeStage, type Rules, type Scene, type Stage, send, setScene } from "../support/scene.ts";
import { limitTime } from "../support/time-limit.ts";

// A hundred clusters, on two variants.
limitTime(600_000);

const skip = skipReason();

/** Beginnings of their names: through legacy fewer, since the rules are the same; FAIRLEAD_PACKETS=all is all of them. */
const COMPAT: Readonly<Record<Variant, RegExp>> = { nft: /^/, legacy: /^[ns]/ };

/** Those that differ in what the Indexed layout has; FAIRLEAD_PACKETS has the beginnings of other names, or is `all`. */
const INDEXED: Readonly<Record<Variant, string>> = { nft: "s11 s13 s28 u03 x01 x02 x03", legacy: "s28 x01 x03" };

for (const variant of VARIANTS) {
  const asked = process.env.FAIRLEAD_PACKETS ?? INDEXED[variant];
  const chosen = clusterNames().filter(
    (name) => asked === "all" || asked.split(" ").includes(name.split("-")[0] ?? ""),
  );
  const usual = clusterNames().filter((name) => asked === "all" || COMPAT[variant].test(name));
  t.test(`through ${variant} rules`, { skip: skip || variantSkip(variant) }, (t) =>
    testClusters(t, usual, { variant }),
  );
  t.test(`through ${variant} rules, Indexed`, { skip: ipsetSkipReason() || variantSkip(variant) }, (t) =>
    testClusters(t, chosen, { variant, layout: "Indexed" }),
  );
}

async function testClusters(
  t: Test,
  names: readonly string[],
  rules: Pick<Rules, "variant" | "layout">,
): Promise<void> {
  for (const [first, ...others] of bySettings(names)) {
    if (!first) continue;
    const stage = await makeStage(t, first.podInterface, { ...rules, program: built() });
    for (const cluster of [first, ...others]) await t.test(cluster.name, (t) => testCluster(t, cluster, stage));
  }
}

async function testCluster(t: Test, cluster: Cluster, stage: Stage): Promise<void> {
  const packets = cluster.cases.filter(({ modes }) => modes.includes("iptables"));
  const scene = await setScene(stage, cluster, packets);
  t.pass("the kernel took the rules");
  await Promise.all(scene.flows.map((flow) => testFlow(t, flow, scene)));
}

async function testFlow(t: Test, flow: Flow, scene: Scene): Promise<void> {
  if (flow.unable !== undefined) t.comment(`${flow.name}: not sent, ${flow.unable}`);
  else t.strictSame(findingsOf(await send(scene, flow), flow, scene.cluster), flow.expected, flow.name);
}

// Clusters of the same settings follow one another under one process, as a cluster changes in the course of its life.
function bySettings(names: readonly string[]): readonly (readonly Cluster[])[] {
  const groups = new Map<string, Cluster[]>();
  for (const cluster of names.map(readCluster)) {
    groups.set(cluster.settings, [...(groups.get(cluster.settings) ?? []), cluster]);
  }
  return [...groups.values()];
}
