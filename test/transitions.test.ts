// Does the plan from any cluster to any other land where it should, and is there then nothing left to do?
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { machine } from "../src/kernel/kernel.ts";
import { FAMILIES, type Family } from "../src/net/family.ts";
import { pagedList } from "../src/paged-list.ts";
import { diff } from "../src/plan/diff.ts";
import { printPlan } from "../src/plan/print.ts";
import { restoreText } from "../src/plan/restore-text.ts";
import { parseTables } from "../src/state/iptables-parse.ts";
import { printTables } from "../src/state/iptables-print.ts";
import { emptyState, type KernelState } from "../src/state/kernel-state.ts";
import { FakeIptables } from "./support/fake-iptables.ts";
import { FIXTURES, matchGolden } from "./support/golden.ts";
import { BACKEND, INDEXED_BACKEND } from "./support/templates.ts";
import { limitTime } from "./support/time-limit.ts";
import { type WantedCluster, wantedCluster, wantedClusters } from "./support/wanted.ts";

// More than a hundred clusters, each after each.
limitTime(180_000);

/** The state as a kernel would show it after it was restored there. */
function observed(wanted: KernelState): KernelState {
  const text = [...printTables(wanted)].join("\n");
  return { ...wanted, tables: parseTables(withPolicies(text)), fragments: pagedList(), observed: true };
}

// `render` prints no policy of a built-in chain; a kernel always shows one.
function withPolicies(text: string): string {
  const hooks = ["PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"];
  return text.replace(/^(\*\w+)$/gm, `$1\n${hooks.map((hook) => `:${hook} ACCEPT [0:0]`).join("\n")}`);
}

const MEANS = { jumps: BACKEND.jumps, variant: "nft" } as const;

const clusters = await wantedClusters();

t.test("from every cluster to every other", async (t) => {
  for (const family of FAMILIES) {
    const states = clusters.map(({ name, wanted }) => ({
      name,
      wanted: wanted(family),
      actual: observed(wanted(family)),
    }));
    for (const from of states) {
      const wrong = states.filter((to) => !lands(from.actual, to.wanted));
      t.strictSame(
        wrong.map(({ name }) => name),
        [],
        `${family} from ${from.name}`,
      );
    }
  }
});

/** Applies the plan to a strict stand-in for the tool, and looks what it holds then. */
function lands(actual: KernelState, wanted: KernelState): boolean {
  const tools = new FakeIptables();
  tools.load(`${[...printTables(actual)].join("\n")}\n`);
  for (const step of diff(wanted, actual, MEANS).steps) {
    if (step.kind === "iptables") tools.load([...restoreText(step.changes)].join(""));
  }
  const after: KernelState = { ...wanted, tables: parseTables(tools.save()), fragments: pagedList(), observed: true };
  // The stand-in has no sets.
  const left = diff(wanted, after, MEANS).steps.filter(({ kind }) => kind !== "sets");
  return left.length === 0 && sameRules(after, wanted);
}

function sameRules(after: KernelState, wanted: KernelState): boolean {
  const rules = (state: KernelState) => [...printTables(state)].filter((line) => line.startsWith("-A"));
  const [a, b] = [rules(after), rules(wanted)].map((lines) =>
    lines.filter((line) => !line.includes("-A KUBE-FIREWALL")),
  );
  return a?.join("\n") === b?.join("\n");
}

t.test("from every cluster to itself in the other layout, and back", async (t) => {
  for (const [index, { name, wanted }] of (await wantedClusters(INDEXED_BACKEND)).entries()) {
    for (const family of FAMILIES) {
      const [indexed, compat] = [wanted(family), clusters[index]?.wanted(family)];
      if (!compat) throw new Error(`${name} is in one layout only`);
      t.ok(lands(observed(compat), indexed), `${name} ${family}: to Indexed`);
      t.ok(lands(observed(indexed), compat), `${name} ${family}: to Compat`);
    }
  }
});

t.test("from every cluster to the next one, in the Indexed layout", async (t) => {
  const indexed = await wantedClusters(INDEXED_BACKEND);
  for (const family of FAMILIES) {
    for (const [index, { name, wanted }] of indexed.entries()) {
      const from = indexed.at(index - 1);
      if (from) t.ok(lands(observed(from.wanted(family)), wanted(family)), `${family} from ${from.name} to ${name}`);
    }
  }
});

t.test("from every cluster to nothing", async (t) => {
  for (const { name, wanted } of clusters) {
    const tools = new FakeIptables();
    const kernel = machine(tools.run);
    tools.load(`${[...printTables(wanted("IPv4"))].join("\n")}\n`);
    const plan = diff(emptyState("IPv4"), await kernel.observe("IPv4", { sysctls: [], counters: [] }), MEANS);
    await kernel.apply(plan);
    t.notMatch(tools.save(), /KUBE-(?!FIREWALL)/, name);
  }
});

const TRANSITIONS = join(FIXTURES, "transitions");

for (const name of readdirSync(TRANSITIONS).sort()) {
  t.test(name, async (t) => {
    const folder = join(TRANSITIONS, name);
    const before = await wantedCluster(folder, name, "before.yaml");
    const after = await wantedCluster(folder, name, "after.yaml");
    const golden = join(folder, "plan.iptables.txt");
    matchGolden(t, golden, FAMILIES.map((family) => planText(before, after, family)).join(""));
    t.ok(existsSync(golden));
  });
}

function planText(before: WantedCluster, after: WantedCluster, family: Family): string {
  const plan = diff(after.wanted(family), observed(before.wanted(family)), MEANS);
  return [...printPlan(plan)].map((line) => `${line}\n`).join("");
}
