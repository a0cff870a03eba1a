// What is one pass, from what is wanted to a kernel that holds it?
import type { Backend } from "../backends/backend.ts";
import type { KernelError } from "../errors.ts";
import type { Applied, Kernel } from "../kernel/kernel.ts";
import { diff } from "../plan/diff.ts";
import type { Plan } from "../plan/plan.ts";
import type { KernelState } from "../state/kernel-state.ts";

/** What a pass did. */
export interface PassResult {
  readonly plan: Plan;
  readonly applied: Applied;
}

/**
 * Looks at the kernel, and carries out what differs from `wanted`; nothing is sent where nothing differs.
 * Rejects with KernelError when the kernel cannot be looked at; a refused step is in the result.
 */
export async function pass(kernel: Kernel, backend: Backend, wanted: KernelState): Promise<PassResult> {
  const look = { sysctls: wanted.sysctls.map(({ path }) => path), counters: wanted.counters };
  const actual = await kernel.observe(wanted.family, look);
  const plan = diff(wanted, actual, backend.jumps);
  return { plan, applied: plan.steps.length === 0 ? { done: [] } : await kernel.apply(plan) };
}

/** The step that the kernel refused, if it refused one. */
export function refusalIn({ applied }: PassResult): KernelError | undefined {
  return applied.refused?.error;
}
