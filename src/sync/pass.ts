// What is one pass, from what is wanted to a kernel that holds it?
import type { Backend } from "../backends/backend.ts";
import type { Applied, Kernel } from "../kernel/kernel.ts";
import { diff } from "../plan/diff.ts";
import type { Plan } from "../plan/plan.ts";
import type { Variant } from "../plan/transactions.ts";
import type { KernelState } from "../state/kernel-state.ts";

/** The same for every pass of a family. */
export interface Means {
  readonly kernel: Kernel;
  readonly backend: Backend;
  readonly variant: Variant;
}

/** What a pass did. */
export interface PassResult {
  readonly plan: Plan;
  readonly applied: Applied;
}

/**
 * Carries out what differs from `wanted`; nothing is sent where nothing differs. The kernel is looked at unless `held`,
 * which it acknowledged before, is given. Rejects with KernelError or RuleSyntaxError when it cannot be looked at; a
 * refused step is in the result.
 */
export async function pass(means: Means, wanted: KernelState, held?: KernelState): Promise<PassResult> {
  const { kernel, backend, variant } = means;
  const actual = held ?? (await observe(kernel, wanted));
  const plan = diff(wanted, actual, { jumps: backend.jumps, variant });
  return { plan, applied: plan.steps.length === 0 ? { done: [] } : await kernel.apply(plan) };
}

function observe(kernel: Kernel, { family, sysctls, counters }: KernelState): Promise<KernelState> {
  return kernel.observe(family, { sysctls: sysctls.map(({ path }) => path), counters });
}
