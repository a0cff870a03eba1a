// How does all that is ours leave the kernel?
import type { Backend } from "../backends/backend.ts";
import { KernelError, RuleSyntaxError } from "../errors.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { unlessRefused } from "../kernel/refused.ts";
import type { Family } from "../net/family.ts";
import { diff } from "../plan/diff.ts";
import type { Plan } from "../plan/plan.ts";
import { printPlan } from "../plan/print.ts";
import type { Variant } from "../plan/transactions.ts";
import { emptyState } from "../state/kernel-state.ts";
import { variantOf } from "../state/node-facts.ts";
import type { Output } from "./output.ts";

export interface CleanupInput {
  readonly kernel: Kernel;
  readonly backend: Backend;
  /** What other modes leave, beside rules of iptables; looked at in this order, when those are gone. */
  readonly leftovers: readonly Leftover[];
  readonly output: Pick<Output, "data" | "note">;
  /** Only say what would go. */
  readonly dryRun: boolean;
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

/**
 * Takes away all that is ours, or any kube-proxy's, in whatever mode it ran, and nothing else. A family whose tool does
 * not work has no rules, a kernel that does not know a kind of thing has none. The answer is whether nothing failed; a
 * failure does not spare the rest.
 */
export async function cleanup(input: CleanupInput): Promise<boolean> {
  const facts = await input.kernel.facts();
  const outcomes: boolean[] = [];
  for (const family of facts.families) outcomes.push(await cleanFamily(input, family, variantOf(facts, family)));
  for (const leftover of input.leftovers) outcomes.push(await removeLeftover(leftover, input));
  return outcomes.every((well) => well);
}

/** Takes away one kind of thing; the answer is whether nothing failed. */
export async function removeLeftover(
  leftover: Leftover,
  { output, dryRun }: Pick<CleanupInput, "output" | "dryRun">,
): Promise<boolean> {
  const names = await unlessRefused(leftover.find(), []);
  if (dryRun) {
    await output.data(names.map((name) => `- ${leftover.kind} ${name}`));
    return true;
  }
  const outcomes: boolean[] = [];
  for (const name of names) outcomes.push(await tell(leftover.kind, output, leftover.remove(name)));
  return outcomes.every((well) => well);
}

async function cleanFamily(
  { kernel, backend, output, dryRun }: CleanupInput,
  family: Family,
  variant: Variant,
): Promise<boolean> {
  const clean = async () => {
    const actual = await kernel.observe(family, { sysctls: [], counters: [] });
    const plan = diff(emptyState(family), actual, { jumps: backend.jumps, variant });
    warnOfKept(plan, output);
    if (dryRun) return output.data(printPlan({ ...plan, kept: [] }));
    const { refused } = await kernel.apply(plan);
    if (refused) throw refused.error;
  };
  return tell(family, output, clean());
}

/** Whether it went well; a failure that is not ours is told. */
async function tell(what: string, output: Pick<Output, "note">, attempt: Promise<void>): Promise<boolean> {
  try {
    await attempt;
    return true;
  } catch (error) {
    if (!(error instanceof KernelError || error instanceof RuleSyntaxError)) throw error;
    output.note(`${what}: ${error.message}`);
    return false;
  }
}

function warnOfKept({ kept }: Plan, output: Pick<Output, "note">): void {
  for (const { table, chain, rule } of kept) {
    output.note(`chain ${chain} in table ${table} stays, empty, because somebody else's rule leads into it: ${rule}`);
  }
}
