// Brings the kernel to a desired state once: observe, diff, apply.
import type { Backend } from "../backends/backend.ts";
import { KernelError } from "../errors.ts";
import type { Applied, Progress } from "../kernel/apply.ts";
import type { Kernel } from "../kernel/kernel.ts";
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

/** Where a pass starts from: what the kernel acknowledged before, or a look at it, for which nobody may be waiting. */
export type Start = ({ readonly held: KernelState } | { readonly unhurried: boolean }) & {
  /** In IPVS mode: what is known of it from passes before. */
  readonly ipvs?: IpvsCircumstances;
};

/** What a pass did. */
export interface PassResult {
  readonly plan: Plan;
  readonly applied: Applied;
}

/** A pass, and the state that it started from. */
export interface Pass extends PassResult {
  readonly observed: KernelState;
}

const LOOK: Start = { unhurried: false };

const NO_PLAN: Plan = { steps: [], kept: [] };

const NOTHING: Applied = { done: [], sent: new Map(), items: [], draining: [] };

/**
 * Carries out what differs from `wanted`; nothing is sent where nothing differs. Rejects with KernelError or
 * RuleSyntaxError when the kernel cannot be looked at; a refused step is in the result.
 */
export async function pass(means: Means, wanted: KernelState, start: Start = LOOK): Promise<Pass> {
  const { kernel, backend, variant, progressed } = means;
  const actual = "held" in start ? start.held : await observe(kernel, wanted, start.unhurried);
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

function observe(kernel: Kernel, wanted: KernelState, unhurried: boolean): Promise<KernelState> {
  const { family, sysctls, counters, ipvs } = wanted;
  const look = ipvs && { sets: ipvs.sets.map(({ name }) => name), device: ipvs.devices[0] };
  const paths = sysctls.map(({ path }) => path);
  return kernel.observe(family, { sysctls: paths, counters, unhurried, ...(look && { ipvs: look }) });
}
