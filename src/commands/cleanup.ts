// Removes everything that fairlead or kube-proxy has put into the kernel, in any mode.
import type { Backend } from "../backends/backend.ts";
import { KernelError, RuleSyntaxError } from "../errors.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { unlessRefused } from "../kernel/refused.ts";
import type { Family } from "../net/family.ts";
import { diff } from "../plan/diff.ts";
import { type PlacedRule, planRemovalOfIndexed, useOfIndexed } from "../plan/leftovers/indexed.ts";
import type { Plan } from "../plan/plan.ts";
import { printPlan } from "../plan/print.ts";
import type { Variant } from "../plan/transactions.ts";
import { emptyState, type KernelState } from "../state/kernel-state.ts";
import { variantOf } from "../state/node-facts.ts";
import { EXIT, type ExitCode, kernelWords } from "./failure.ts";
import { printCount } from "./input-objects.ts";
import { isPermission, ruleAccessError } from "./machine.ts";
import type { Output } from "./output.ts";

export interface CleanupInput {
  readonly kernel: Kernel;
  /** Why rules of a family cannot be written here, in the words of its tool. */
  readonly whyUnusable: (family: Family) => Promise<string>;
  readonly backend: Backend;
  /** What modes leave beside rules of iptables; looked for in this order, when the rules are gone. */
  readonly leftovers: readonly Leftover[];
  readonly output: Pick<Output, "data" | "note">;
  /** Only print what would be removed. */
  readonly dryRun: boolean;
  /** Only remove what belongs to this layout, while another proxy or layout serves; undefined: everything. */
  readonly layout?: "Indexed" | undefined;
}

/** One kind of thing that a mode keeps in the kernel. */
export interface Leftover {
  /** As an operator calls it. */
  readonly kind: string;
  /** Names of those that are there. Rejects with KernelError where this kernel has no such thing. */
  find(): Promise<readonly string[]>;
  /** Rejects with KernelError. */
  remove(name: string): Promise<void>;
}

/** How many things were found, or removed, by kind. */
type Counts = Map<string, number>;

/**
 * Removes all that is ours, or any kube-proxy's, in whatever mode it ran, and nothing else, and prints how much that was.
 * A kernel that does not know a kind of thing has none. A failure does not spare the rest: the answer is then
 * `problems`, and `unusable` where there is no working iptables. Rejects with InputError, before anything is removed, for
 * lack of rights.
 */
export async function cleanup(input: CleanupInput): Promise<ExitCode> {
  const facts = await input.kernel.facts();
  const { families } = facts;
  await reportUnusable(input, families);
  const counts: Counts = new Map();
  const outcomes: boolean[] = [];
  for (const family of families) {
    outcomes.push(await cleanFamily(input, family, { variant: variantOf(facts, family), counts }));
  }
  // Sets that rules still refer to cannot be destroyed.
  const leftovers = input.layout !== undefined && outcomes.includes(false) ? [] : input.leftovers;
  for (const leftover of leftovers) outcomes.push(await removeLeftover(leftover, input, counts));
  await input.output.data([printCounts(counts, input.dryRun, families)]);
  if (!outcomes.every((well) => well)) return EXIT.problems;
  return families.length === 0 ? EXIT.unusable : EXIT.fine;
}

/** A family whose iptables does not work is left out, with a note. Throws InputError for lack of rights. */
async function reportUnusable({ whyUnusable, output }: CleanupInput, families: readonly Family[]): Promise<void> {
  for (const family of ["IPv4", "IPv6"] as const) {
    if (families.includes(family)) continue;
    const why = await whyUnusable(family);
    const error = ruleAccessError("change", why, "");
    if (isPermission(why)) throw error;
    output.note(families.length === 0 ? `error: ${family}: ${error.message}` : `note: no ${family} rules: ${why}`);
  }
}

/** `removed 69 rules in 21 chains, 3 ipsets`, `nothing to remove (2 families)`. */
function printCounts(counts: Counts, dryRun: boolean, families: readonly Family[]): string {
  const of = (kind: string) => counts.get(kind) ?? 0;
  const rules =
    of("rule") + of("chain") === 0 ? [] : [`${printCount(of("rule"), "rule")} in ${printCount(of("chain"), "chain")}`];
  const others = [...counts].filter(([kind, count]) => kind !== "rule" && kind !== "chain" && count > 0);
  const parts = [...rules, ...others.map(([kind, count]) => printCount(count, kind))];
  if (parts.length === 0)
    return `nothing to remove (${families.length === 0 ? "no rules were" : `${families.join(" and ")}`} examined)`;
  return `${dryRun ? "would remove" : "removed"} ${parts.join(", ")}`;
}

function add(counts: Counts, kind: string, count: number): void {
  counts.set(kind, (counts.get(kind) ?? 0) + count);
}

/** Removes one kind of thing; the answer is whether nothing failed. */
export async function removeLeftover(
  leftover: Leftover,
  { output, dryRun }: Pick<CleanupInput, "output" | "dryRun">,
  counts: Counts = new Map(),
): Promise<boolean> {
  const names = await unlessRefused(leftover.find(), []);
  if (dryRun) {
    add(counts, leftover.kind, names.length);
    await output.data(names.map((name) => `- ${leftover.kind} ${name}`));
    return true;
  }
  const outcomes: boolean[] = [];
  for (const name of names) {
    const isRemoved = await attempt(leftover.kind, output, leftover.remove(name));
    if (isRemoved) add(counts, leftover.kind, 1);
    outcomes.push(isRemoved);
  }
  return outcomes.every((well) => well);
}

async function cleanFamily(
  { kernel, backend, output, dryRun, layout }: CleanupInput,
  family: Family,
  { variant, counts }: { readonly variant: Variant; readonly counts: Counts },
): Promise<boolean> {
  const clean = async () => {
    const actual = await kernel.observe(family, { sysctls: [], counters: [] });
    const use = layout === undefined ? undefined : useOfIndexed(actual);
    if (use !== undefined) {
      output.note(`${family}: ${printUse(use)}`);
      return false;
    }
    const plan =
      layout === undefined
        ? diff(emptyState(family), actual, { jumps: backend.jumps, variant })
        : planRemovalOfIndexed(actual);
    warnOfKept(plan, output);
    if (dryRun) {
      await output.data(printPlan({ ...plan, kept: [] }));
    } else {
      const { refused } = await kernel.apply(plan);
      if (refused) throw refused.error;
    }
    countRemoved(plan, actual, counts);
    return true;
  };
  return attempt(family, output, clean());
}

/** Why the Indexed layout cannot be removed alone. */
function printUse({ table, line }: PlacedRule): string {
  const remedy = "start kube-proxy, or fairlead with layout Compat, and wait for its first sync";
  return `layout Indexed is in use: table ${table} has "${line}"; ${remedy}, or run "fairlead cleanup" to remove all rules`;
}

/** Rules of chains that are removed or emptied, and jumps to them; chains that are removed. */
function countRemoved({ steps }: Plan, { tables }: KernelState, counts: Counts): void {
  for (const step of steps) {
    for (const { table, clear, rules, remove } of step.kind === "iptables" ? step.changes : []) {
      const emptied = [...new Set([...clear, ...remove])].map(
        (chain) => tables.get(table)?.get(chain)?.rules.length ?? 0,
      );
      add(
        counts,
        "rule",
        emptied.reduce((sum, length) => sum + length, [...rules].length),
      );
      add(counts, "chain", remove.length);
    }
  }
}

/** Whether it went well: the action says so unless it has no result. A refusal of the kernel is reported. */
async function attempt(what: string, output: Pick<Output, "note">, action: Promise<unknown>): Promise<boolean> {
  try {
    return (await action) !== false;
  } catch (error) {
    if (!(error instanceof KernelError || error instanceof RuleSyntaxError)) throw error;
    output.note(`${what}: ${error instanceof KernelError ? kernelWords(error) : error.message}`);
    return false;
  }
}

function warnOfKept({ kept }: Plan, output: Pick<Output, "note">): void {
  for (const { table, chain, rule } of kept) {
    output.note(`chain ${chain} in table ${table} stays, empty, because of a rule of other software: ${rule}`);
  }
}
