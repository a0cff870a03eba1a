// In the Indexed layout, do our own apply and an operator's tools fed with what `render` prints leave the same kernel?
import "../support/enter-sandbox.ts";

import t, { type Test } from "tap";
import { printSection } from "../../src/commands/sections.ts";
import type { RunCommand } from "../../src/kernel/command.ts";
import { iptablesOf } from "../../src/kernel/iptables.ts";
import { machine } from "../../src/kernel/kernel.ts";
import { ensureCounter } from "../../src/kernel/nfacct.ts";
import { FAMILIES } from "../../src/net/family.ts";
import type { KernelState } from "../../src/state/kernel-state.ts";
import { pass } from "../../src/sync/pass.ts";
import { ipset, ipsetSkipReason, savedSets } from "../support/ipset-tool.ts";
import { VARIANTS, type Variant, variantSkip } from "../support/iptables-variant.ts";
import { commandHere } from "../support/namespace-command.ts";
import { savedTables } from "../support/saved-tables.ts";
import { INDEXED_BACKEND } from "../support/templates.ts";
import { limitTime } from "../support/time-limit.ts";
import { wantedClusters } from "../support/wanted.ts";

limitTime(300_000);

const skip = ipsetSkipReason();

/** One of each kind that has rules of its own here; FAIRLEAD_CLUSTERS=all takes every one. */
const CHOSEN = [
  "c39-ingress-of-three-kinds",
  "n02-every-address-is-a-pod",
  "n03-large-cluster-without-affinity",
  "s05-sctp-clusterip",
  "s06-masquerade-all",
  "s10-nodeport-with-nfacct",
  "s13-all-addresses-no-endpoints",
  "s28-dual-stack-loadbalancer",
  "s30-large-cluster-affinity",
  "u06-bridge-detection",
  "u08-ten-endpoints",
  "x01-more-services-than-a-handful",
  "x02-many-services-without-endpoints",
  "x03-more-endpoints-than-a-handful",
];

const COUNTERS = ["ct_state_invalid_dropped_pkts", "localhost_nps_accepted_pkts"];

const EMPTY = ["filter", "mangle", "nat"].map((table) => `*${table}\nCOMMIT\n`);

for (const variant of VARIANTS) {
  t.test(`through ${variant}`, { skip: skip || variantSkip(variant) }, async (t) => {
    for (const name of COUNTERS) await ensureCounter(name);
    for (const { name, wanted } of await wantedClusters(INDEXED_BACKEND)) {
      if (!CHOSEN.includes(name) && process.env.FAIRLEAD_CLUSTERS !== "all") continue;
      await t.test(name, (t) => testStates(t, variant, FAMILIES.map(wanted)));
    }
  });
}

/** First as an operator would load it, then by ourselves. */
async function testStates(t: Test, variant: Variant, states: readonly KernelState[]): Promise<void> {
  const run = commandHere(variant);
  const look = (state: KernelState) => pass({ kernel: machine(run), backend: INDEXED_BACKEND, variant }, state);
  ipset(["restore"], linesOf(states, "ipset"));
  const sets = savedSets().toSorted();
  for (const state of states) {
    const { family } = state;
    const program = `${iptablesOf(family)}-restore`;
    const text = linesOf([state], iptablesOf(family));
    await run({ program, args: ["--noflush"], input: [text] });
    t.strictSame(await savedTables(run, family), text.trimEnd().split("\n"), `${family}: every rule is as we write it`);
    const { plan } = await look(state);
    t.strictSame(kinds(plan.steps), [], `${family}: after the operator nothing is left to do`);
  }
  await clear(run);
  for (const state of states) {
    const { family } = state;
    const { applied } = await look(state);
    t.notOk(applied.refused, `${family}: ${applied.refused?.error.message ?? "accepted"}`);
    t.strictSame(applied.items, []);
    const text = linesOf([state], iptablesOf(family));
    t.strictSame(await savedTables(run, family), text.trimEnd().split("\n"), `${family}: by ourselves the same rules`);
    t.strictSame(kinds((await look(state)).plan.steps), [], `${family}: a second look has nothing to do`);
  }
  t.strictSame(savedSets().toSorted(), sets, "by ourselves the same sets");
  await clear(run);
}

function linesOf(states: readonly KernelState[], section: "ipset" | "iptables" | "ip6tables"): string {
  return `${[...printSection(states, section, false)].join("\n")}\n`;
}

/** Settings are the namespace's own, of before the first pass. */
function kinds(steps: readonly { readonly kind: string }[]): readonly string[] {
  return steps.map(({ kind }) => kind).filter((kind) => kind !== "sysctl");
}

/** Sets can go once no rule of either variant refers to them. */
async function clear(run: RunCommand): Promise<void> {
  for (const family of FAMILIES) await run({ program: `${iptablesOf(family)}-restore`, args: [], input: EMPTY });
  ipset(["destroy"]);
}
