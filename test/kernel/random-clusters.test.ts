// Does a real kernel take the rules of any cluster after those of any other, and print them back unchanged?
import "../support/enter-sandbox.ts";

import fc from "fast-check";
import t from "tap";
import { machine } from "../../src/kernel/kernel.ts";
import { worldOf } from "../../src/model/world.ts";
import { FAMILIES } from "../../src/net/family.ts";
import { printTables } from "../../src/state/iptables-print.ts";
import { pass } from "../../src/sync/pass.ts";
import { clusters } from "../support/arbitrary-clusters.ts";
import { buildOptions } from "../support/build.ts";
import { VARIANTS, variantSkip } from "../support/iptables-variant.ts";
import { commandIn } from "../support/namespace-command.ts";
import { makeNetns, removeNetns } from "../support/netns.ts";
import { skipReason } from "../support/sandbox.ts";
import { savedTables } from "../support/saved-tables.ts";
import { BACKEND } from "../support/templates.ts";

const seed = Number(process.env.FAIRLEAD_SEED ?? Date.now() % 2 ** 31);
t.comment(`seed ${seed} (FAIRLEAD_SEED=${seed} runs the same again)`);

const skip = skipReason();
t.setTimeout(600_000);

const ROUNDS = 40;
const OPTIONS = buildOptions({ localhostNodePorts: false, clusterCIDRs: ["10.1.0.0/16", "fd00:1::/64"] });
const COUNTERS = { invalidDropped: false, localhostNodePorts: false };
const FACTS = {
  addresses: [],
  iptablesVersion: "1.8.9",
  kernelVersion: "6.1",
  counters: COUNTERS,
  tcpBeLiberal: false,
};

for (const variant of VARIANTS) {
  t.test(`through ${variant}`, { skip: skip || variantSkip(variant) }, async (t) => {
    const node = await makeNetns("random");
    t.teardown(() => removeNetns(node));
    const run = commandIn(node, variant);
    const kernel = machine(run);
    for (const [round, snapshot] of fc.sample(clusters, { seed, numRuns: ROUNDS }).entries()) {
      for (const family of FAMILIES) {
        const wanted = BACKEND.desired(worldOf({ snapshot, nodeName: "n1", options: OPTIONS, facts: FACTS, family }));
        const { applied } = await pass({ kernel, backend: BACKEND, variant }, wanted);
        if (applied.refused) t.fail(`round ${round} ${family}: ${applied.refused.error.message}`);
        t.strictSame(await savedTables(run, family), [...printTables(wanted)], `round ${round} ${family}`);
        t.strictSame(
          (await pass({ kernel, backend: BACKEND, variant }, wanted)).plan.steps,
          [],
          `round ${round} ${family}: then nothing to do`,
        );
      }
    }
  });
}
