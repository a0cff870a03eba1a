// Does a real kernel hold, cluster after cluster, exactly what the golden files say?
import "../support/enter-sandbox.js";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { runCommand } from "../../src/kernel/command.js";
import { iptablesOf } from "../../src/kernel/iptables.js";
import { machine } from "../../src/kernel/kernel.js";
import { FAMILIES } from "../../src/net/family.js";
import { pass } from "../../src/sync/pass.js";
import { VARIANTS, variantSkip } from "../support/iptables-variant.js";
import { commandIn } from "../support/namespace-command.js";
import { makeNetns, removeNetns } from "../support/netns.js";
import { skipReason } from "../support/sandbox.js";
import { BACKEND } from "../support/templates.js";
import { wantedClusters } from "../support/wanted.js";
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
                    const { plan, applied } = await pass(kernel, BACKEND, wanted(family));
                    t.notOk(applied.refused, `${family}: ${applied.refused?.error.message ?? "accepted"}`);
                    t.ok(plan.kept.length === 0, "nothing stays against our wish");
                    t.strictSame(await saved(run, family), goldenTables(folder, family), `${family}: save and golden file`);
                    const again = await pass(kernel, BACKEND, wanted(family));
                    t.strictSame(again.plan.steps, [], `${family}: a second pass has nothing to do`);
                }
            });
        }
    });
}
/** Kernel settings and counters belong to the process's own namespace, not to the one where its programs run. */
function tablesOnly(kernel) {
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
async function emptyShared(run, family) {
    const input = ["*filter\n:KUBE-FIREWALL - [0:0]\nCOMMIT\n"];
    await run({ program: `${iptablesOf(family)}-restore`, args: ["--noflush"], input });
}
async function makeCounters({ path }) {
    const args = [`--net=${path}`, process.execPath, "--import=tsx", MAKE_COUNTERS, ...COUNTERS];
    await runCommand({ program: "nsenter", args });
}
/** What the tool prints, by table as it stands there, without comments and policies. */
async function saved(run, family) {
    const text = await run({ program: `${iptablesOf(family)}-save`, args: [] });
    const lines = text.split("\n").filter((line) => !/^(#|$|:\S+ (ACCEPT|DROP) )/.test(line));
    return lines.join("\n").split(/(?<=^COMMIT$)\n/m).filter((table) => /^\*(filter|mangle|nat)$/m.test(table)).sort()
        .join("\n").split("\n");
}
function goldenTables(folder, family) {
    const text = readFileSync(join(folder, `iptables.${family === "IPv4" ? "v4" : "v6"}.rules`), "utf8");
    return text.split(/^# ip6?tables\n/m)[1]?.trimEnd().split("\n") ?? [];
}
