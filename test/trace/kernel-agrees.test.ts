// Compares traces with a real kernel that holds the same rules.
import "../support/enter-sandbox.ts";

import fc from "fast-check";
import t, { type Test } from "tap";
import { clusters } from "../support/arbitrary-clusters.ts";
import { randomRules } from "../support/arbitrary-rules.ts";
import { buildSnapshot } from "../support/build.ts";
import { VARIANTS, variantEnvironment, variantSkip } from "../support/iptables-variant.ts";
import { longMessageSkip, skipReason } from "../support/sandbox.ts";
import { takeSeed } from "../support/seed.ts";
import { INDEXED_BACKEND } from "../support/templates.ts";
import { limitTime } from "../support/time-limit.ts";
import { loadCluster, loadRules, makeWalkScene, PROBES, testProbe, type WalkScene } from "../support/walk-scene.ts";
import { wideRecords } from "../support/wide-clusters.ts";

limitTime(120_000);

const skip = skipReason();
const seed = takeSeed();

/** Most clusters of chance have nobody to send packets to. */
const busyClusters = clusters.filter(({ services }) => {
  const ready = [...services].flatMap(({ slices }) =>
    slices.flatMap(({ family, endpoints }) => (family === "IPv4" ? endpoints.filter(({ ready }) => ready) : [])),
  );
  return ready.length > 5;
});

/** Services that nobody asks, so that there is an index. */
const others = wideRecords(40);

/** Of each kind, for each variant; FAIRLEAD_ROUNDS is how many for a trial by hand. */
const rounds = Number(process.env.FAIRLEAD_ROUNDS ?? 0);
const ROUNDS = { clusters: rounds || 3, indexed: rounds || 2, rules: rounds || 4 };

for (const [index, variant] of VARIANTS.entries()) {
  t.test(
    `through ${variant}`,
    { skip: skip || variantSkip(variant) || (variant === "nft" && longMessageSkip()) },
    async (t) => {
      const scene = await makeWalkScene(t, variantEnvironment(variant));
      await testClusters(t, scene, seed + index);
      await testIndexed(t, scene, seed + index);
      await testRules(t, scene, seed + index);
    },
  );
}

async function testClusters(t: Test, scene: WalkScene, seed: number): Promise<void> {
  for (const [round, snapshot] of fc.sample(busyClusters, { seed, numRuns: ROUNDS.clusters }).entries()) {
    const field = await loadCluster(scene, snapshot);
    for (const probe of PROBES) await testProbe(t, { ...scene, field }, probe, `cluster ${round}`);
  }
}

async function testIndexed(t: Test, scene: WalkScene, seed: number): Promise<void> {
  const indexed = fc.tuple(busyClusters, others).map(([{ services }, more]) => buildSnapshot([...services, ...more]));
  for (const [round, snapshot] of fc.sample(indexed, { seed, numRuns: ROUNDS.indexed }).entries()) {
    const field = await loadCluster(scene, snapshot, INDEXED_BACKEND);
    for (const probe of PROBES) await testProbe(t, { ...scene, field }, probe, `Indexed, cluster ${round}`);
  }
}

async function testRules(t: Test, scene: WalkScene, seed: number): Promise<void> {
  for (const [round, rules] of fc.sample(randomRules, { seed, numRuns: ROUNDS.rules }).entries()) {
    const field = await loadRules(scene, rules);
    for (const probe of PROBES) await testProbe(t, { ...scene, field }, probe, `rules ${round}\n${rules}`);
  }
}
