// Brings the kernel to a desired state once: observe, diff, apply.
import type { Backend } from "../backends/backend.ts";
import { KernelError } from "../errors.ts";
import type { Applied, Progress } from "../kernel/apply.ts";
import type { Kernel, Look } from "../kernel/kernel.ts";
import { diff } from "../plan/diff.ts";
import type { IpvsCircumstances } from "../plan/ipvs.ts";
import type { Plan, SetConflict } from "../plan/plan.ts";
import type { Variant } from "../plan/transactions.ts";
import type { KernelState } from "../state/kernel-state.ts";

/** The same for every pass of a family. */
export interface Means {
  readonly kernel: Kernel;
  readonly backend: Backend;
  readonly variant: Variant;
  /** Called now and then while a pass writes. */
  readonly progressed?: (progress: Progress) => void;
}

/** Where a pass starts from. */
export interface Start {
  /** What the kernel acknowledged before; absent, the kernel is observed. */
  readonly held?: KernelState;
  /** In IPVS mode: what is known of it from passes before. */
  readonly ipvs?: IpvsCircumstances;
}

/** What a pass did. */
export interface PassResult {
  readonly plan: Plan;
  readonly applied: Applied;
}

/** A pass, and the state that it started from. */
export interface Pass extends PassResult {
  readonly observed: KernelState;
}

const NO_PLAN: Plan = { steps: [], kept: [] };

const NOTHING: Applied = { done: [], sent: new Map(), items: [], draining: [] };

/**
 * Carries out what differs from `wanted`; nothing is sent where nothing differs. Rejects with KernelError or
 * RuleSyntaxError when the kernel cannot be looked at; a refused step is in the result.
 */
export async function pass(means: Means, wanted: KernelState, start: Start = {}): Promise<Pass> {
  const { kernel, backend, variant, progressed } = means;
  const actual = start.held ?? (await kernel.observe(wanted.family, lookFor(wanted)));
  const plan = diff(wanted, actual, { jumps: backend.jumps, variant, ...(start.ipvs && { ipvs: start.ipvs }) });
  if (plan.conflicts) return { ...refusedFor(plan.conflicts), observed: actual };
  return { plan, observed: actual, applied: plan.steps.length === 0 ? NOTHING : await kernel.apply(plan, progressed) };
}

/** Rules that match a set of another type would not be what they say, so nothing is written at all. */
function refusedFor(conflicts: readonly SetConflict[]): PassResult {
  const changes = conflicts.map(({ set }) => ({ kind: "create", set }) as const);
  const error = new KernelError({
    step: "ipset",
    target: conflicts.map(({ set, words }) => `${set.name} (${words})`).join(", "),
    code: "EEXIST",
    words:
      'exists with another type, family or options, so nothing was changed; run "fairlead cleanup" on this node ' +
      "(a set cannot be destroyed by hand while rules use it)",
  });
  return { plan: NO_PLAN, applied: { ...NOTHING, refused: { step: { kind: "sets", changes }, error } } };
}

/** What has to be observed beside the tables to compare the kernel with this state. */
export function lookFor({ sysctls, counters, tables, ipvs }: KernelState): Look {
  const look = ipvs && { sets: ipvs.sets.map(({ name }) => name), device: ipvs.devices[0] };
  return { sysctls: sysctls.map(({ path }) => path), counters, expected: tables, ...(look && { ipvs: look }) };
}
