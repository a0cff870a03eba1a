// What the kernel holds of a ServicePort is read back whole, in both layouts of iptables mode.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import t from "tap";
import type { Backend } from "../../src/backends/backend.ts";
import { worldOf } from "../../src/model/world.ts";
import { pagedList } from "../../src/paged-list.ts";
import { carriedOut } from "../../src/state/carried-out.ts";
import { type Fragment, type KernelState, TABLES } from "../../src/state/kernel-state.ts";
import { presentRules } from "../../src/state/present-rules.ts";
import { wholeTable } from "../../src/state/whole-tables.ts";
import { buildFacts, buildOptions } from "../support/build.ts";
import { readCluster } from "../support/cluster.ts";
import { crowdedClusters } from "../support/crowded-clusters.ts";
import { FIXTURES } from "../support/golden.ts";
import { takeSeed } from "../support/seed.ts";
import { BACKEND, INDEXED_BACKEND } from "../support/templates.ts";
import { statesOf } from "../support/traced-cluster.ts";

const seed = takeSeed();

/** Everything a ServicePort has in the kernel, as text in a fixed order. */
function contentOf(fragment: Fragment | undefined): readonly string[] {
  const lines = TABLES.flatMap((table) => [
    ...(fragment?.chains(table) ?? []).flatMap(({ name, rules }) => [`:${name}`, ...rules.map(({ line }) => line)]),
    ...[...(fragment?.shares(table).values() ?? [])].flat().map(({ line }) => line),
  ]);
  const entries = fragment?.ipvs()?.entries.map(({ set, entry }) => `${set} ${entry}`) ?? [];
  return [...lines, ...entries].sort();
}

/** ServicePorts of which something else is read back than was written. */
function differences(state: KernelState): readonly string[] {
  const fragments = [...state.fragments];
  const present = presentRules(carriedOut(state), state, fragments);
  return fragments.flatMap((fragment) => {
    const [written, read] = [contentOf(fragment), contentOf(present.get(fragment.key))];
    return written.join("\n") === read.join("\n")
      ? []
      : [`${fragment.key}:\n${written.join("\n")}\nread:\n${read.join("\n")}`];
  });
}

const LAYOUTS: readonly (readonly [name: string, backend: Backend])[] = [
  ["Compat", BACKEND],
  ["Indexed", INDEXED_BACKEND],
];

for (const [name, backend] of LAYOUTS) {
  t.test(`clusters of the fixtures, ${name}`, async (t) => {
    for (const cluster of readdirSync(join(FIXTURES, "clusters")).sort()) {
      for (const [family, state] of await statesOf(readCluster(cluster), backend)) {
        t.strictSame(differences(state), [], `${cluster} ${family}`);
      }
    }
  });

  t.test(`random clusters with many Services and endpoints, ${name}`, async () => {
    const property = fc.property(crowdedClusters, ({ snapshot, family, options }) => {
      const input = { snapshot, nodeName: "n1", options: buildOptions(options), facts: buildFacts(), family };
      const found = differences(backend.desired(worldOf(input)));
      if (found.length > 0) throw new Error(found[0]);
    });
    fc.assert(property, { seed, numRuns: 20, endOnFailure: true });
  });
}

t.test("rules of the other layout keep the ServicePort served in the new one", async (t) => {
  for (const cluster of readdirSync(join(FIXTURES, "clusters")).sort()) {
    const [compat, indexed] = [
      await statesOf(readCluster(cluster), BACKEND),
      await statesOf(readCluster(cluster), INDEXED_BACKEND),
    ];
    for (const [from, to] of [
      [compat, indexed],
      [indexed, compat],
    ] as const) {
      for (const [family, desired] of to) {
        const old = from.get(family);
        if (!old) throw new Error(`${cluster} has no ${family}`);
        const present = presentRules(carriedOut(old), desired, [...desired.fragments]);
        const whole = wholeTable({ ...desired, fragments: pagedList(present.values()) }, "nat");
        const jumps = [...whole.values()]
          .flatMap(({ rules }) => rules)
          .flatMap(({ line }) => / -[jg] (KUBE-\S+)/.exec(line)?.[1] ?? []);
        t.strictSame(
          jumps.filter((target) => !whole.has(target)),
          [],
          `${cluster} ${family}: every jump leads to a chain`,
        );
        const served = [...desired.fragments].filter((fragment) => fragment.chains("nat").length > 0);
        t.strictSame(
          served.filter(({ key }) => !present.has(key)),
          [],
          `${cluster} ${family}: every served ServicePort is found`,
        );
      }
    }
  }
});

t.test("a ServicePort of which the kernel has nothing is not found", async (t) => {
  const [[, state] = []] = await statesOf(
    readCluster(readdirSync(join(FIXTURES, "clusters")).sort()[0] ?? ""),
    BACKEND,
  );
  if (!state) throw new Error("no cluster");
  const empty = { ...carriedOut(state), tables: new Map() };
  t.equal(presentRules(empty, state, [...state.fragments]).size, 0);
});
