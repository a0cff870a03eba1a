// How does all that is ours leave the kernel?
import type { Backend } from "../backends/backend.ts";
import { KernelError, RuleSyntaxError } from "../errors.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Family } from "../net/family.ts";
import { diff } from "../plan/diff.ts";
import type { Plan } from "../plan/plan.ts";
import { printPlan } from "../plan/print.ts";
import type { Variant } from "../plan/transactions.ts";
import { emptyState } from "../state/kernel-state.ts";
import type { Output } from "./output.ts";

export interface CleanupInput {
  readonly kernel: Kernel;
  readonly backend: Backend;
  readonly output: Output;
  /** Only say what would go. */
  readonly dryRun: boolean;
}

/**
 * Takes away all chains and jumps of ours, or of a kube-proxy, in both families, and nothing else. A family whose tool
 * does not work has no rules. The answer is whether nothing failed; a failure in one family does not spare the other.
 */
export async function cleanup(input: CleanupInput): Promise<boolean> {
  const { families, iptablesVariant } = await input.kernel.facts();
  const outcomes: boolean[] = [];
  for (const family of families) outcomes.push(await cleanFamily(input, family, iptablesVariant));
  return outcomes.every((well) => well);
}

async function cleanFamily(
  { kernel, backend, output, dryRun }: CleanupInput,
  family: Family,
  variant: Variant,
): Promise<boolean> {
  try {
    const actual = await kernel.observe(family, { sysctls: [], counters: [] });
    const plan = diff(emptyState(family), actual, { jumps: backend.jumps, variant });
    warnOfKept(plan, output);
    if (dryRun) {
      await output.data(printPlan({ ...plan, kept: [] }));
      return true;
    }
    const { refused } = await kernel.apply(plan);
    if (refused) throw refused.error;
    return true;
  } catch (error) {
    if (!(error instanceof KernelError || error instanceof RuleSyntaxError)) throw error;
    output.note(`${family}: ${error.message}`);
    return false;
  }
}

function warnOfKept({ kept }: Plan, output: Output): void {
  for (const { table, chain, rule } of kept) {
    output.note(`chain ${chain} in table ${table} stays, empty, because somebody else's rule leads into it: ${rule}`);
  }
}
