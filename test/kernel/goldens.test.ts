// Does a real kernel hold, cluster after cluster, exactly what the golden files say?
import "../support/enter-sandbox.ts";

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { type RunCommand, runCommand } from "../../src/kernel/command.ts";
import { iptablesOf } from "../../src/kernel/iptables.ts";
import { type Kernel, machine } from "../../src/kernel/kernel.ts";
import { FAMILIES, type Family } from "../../src/net/family.ts";
import { pass } from "../../src/sync/pass.ts";
import { VARIANTS, variantSkip } from "../support/iptables-variant.ts";
import { commandIn } from "../support/namespace-command.ts";
import { makeNetns, type Netns, removeNetns } from "../support/netns.ts";
import { skipReason } from "../support/sandbox.ts";
import { savedTables } from "../support/saved-tables.ts";
import { BACKEND } from "../support/templates.ts";
import { wantedClusters } from "../support/wanted.ts";

const skip = skipReason();
t.setTimeout(600_000);

const MAKE_COUNTERS = fileURLToPath(new URL("../support/make-counters.ts", import.meta.url));
const COUNTERS = ["ct_state_invalid_dropped_pkts", "localhost_nps_accepted_pkts"];

for (const variant of VARIANTS) {
  t.test(`through ${variant}`, { skip: skip || variantSkip(variant) }, async (t) => {
    const node = await makeNetns("golden");
    t.teardown(() => removeNetns(node));
    const run = commandIn(node, variant);
    const kernel = tablesOnly(machine(run));
    await makeCounters(node);
    for (const { name, folder, wanted } of await wantedClusters()) {
      await t.test(name, async (t) => {
        for (const family of FAMILIES) {
          await emptyShared(run, family);
          const { plan, applied } = await pass({ kernel, backend: BACKEND, variant }, wanted(family));
          t.notOk(applied.refused, `${family}: ${applied.refused?.error.message ?? "accepted"}`);
          t.ok(plan.kept.length === 0, "nothing stays against our wish");
          t.strictSame(await savedTables(run, family), goldenTables(folder, family), `${family}: save and golden file`);
          const again = await pass({ kernel, backend: BACKEND, variant }, wanted(family));
          t.strictSame(again.plan.steps, [], `${family}: a second pass has nothing to do`);
        }
      });
    }
  });
}

/** Kernel settings and counters belong to the process's own namespace, not to the one where its programs run. */
function tablesOnly(kernel: Kernel): Kernel {
  return {
    ...kernel,
    observe: async (family, look) => ({
      ...(await kernel.observe(family, { sysctls: [], counters: [] })),
      sysctls: look.sysctls.map((path) => ({ path, value: "1" })),
      counters: look.counters,
    }),
  };
}

/** The chain that is shared with kubelet keeps what the cluster before put there; the golden files are of a fresh node. */
async function emptyShared(run: RunCommand, family: Family): Promise<void> {
  const input = ["*filter\n:KUBE-FIREWALL - [0:0]\nCOMMIT\n"];
  await run({ program: `${iptablesOf(family)}-restore`, args: ["--noflush"], input });
}

async function makeCounters({ path }: Netns): Promise<void> {
  const args = [`--net=${path}`, process.execPath, "--import=tsx", MAKE_COUNTERS, ...COUNTERS];
  await runCommand({ program: "nsenter", args });
}

function goldenTables(folder: string, family: Family): readonly string[] {
  const text = readFileSync(join(folder, `iptables.${family === "IPv4" ? "v4" : "v6"}.rules`), "utf8");
  return (
    text
      .split(/^# ip6?tables\n/m)[1]
      ?.trimEnd()
      .split("\n") ?? []
  );
}
