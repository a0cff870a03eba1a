// What is the door to the machine?
import { KernelError } from "../errors.ts";
import type { Family } from "../net/family.ts";
import { pagedList } from "../paged-list.ts";
import type { Plan, Step } from "../plan/plan.ts";
import type { KernelState } from "../state/kernel-state.ts";
import type { NodeFacts } from "../state/node-facts.ts";
import type { RunCommand } from "./command.ts";
import { GenerationWatch } from "./generation.ts";
import { restoreTables, saveTables } from "./iptables.ts";
import { ensureCounter, observeCounters } from "./nfacct.ts";
import { readAddresses, readNodeFacts } from "./node-facts.ts";
import { observeSysctls, writeSysctl } from "./sysctl.ts";

/** Which steps of a plan the kernel acknowledged, and the one that it refused; those behind that one were not tried. */
export interface Applied {
  readonly done: readonly Step[];
  readonly refused?: { readonly step: Step; readonly error: KernelError };
}

/** What to look at beside the tables, which are always looked at whole. */
export interface Look {
  /** Paths of kernel settings. */
  readonly sysctls: readonly string[];
  /** Names of nfacct counters. */
  readonly counters: readonly string[];
}

/** The only door to the machine. Every method throws KernelError, or rejects with it, when the kernel says no. */
export interface Kernel {
  facts(): Promise<NodeFacts>;
  /** The one fact that is looked at again and again. */
  addresses(): Promise<NodeFacts["addresses"]>;
  observe(family: Family, look: Look): Promise<KernelState>;
  apply(plan: Plan): Promise<Applied>;
  /** Did somebody else change rules since this family was last told so? True where the kernel does not tell. */
  moved(family: Family): Promise<boolean>;
}

/** The machine that this process runs on, through programs started by `run`. */
export function machine(run: RunCommand): Kernel {
  const watch = new GenerationWatch();
  return {
    facts: () => readNodeFacts(run),
    addresses: readAddresses,
    observe: async (family, { sysctls, counters }) => ({
      family,
      observed: true,
      tables: await saveTables(run, family),
      fragments: pagedList(),
      sysctls: await observeSysctls(sysctls),
      counters: counters.length === 0 ? [] : await observeCounters(counters),
    }),
    apply: (plan) => applyPlan(plan, (step) => carryOut(run, watch, step)),
    moved: (family) => watch.moved(family),
  };
}

async function applyPlan({ steps }: Plan, carry: (step: Step) => Promise<void>): Promise<Applied> {
  const done: Step[] = [];
  for (const step of steps) {
    const error = await refusalOf(carry(step));
    if (error) return { done, refused: { step, error } };
    done.push(step);
  }
  return { done };
}

/** The refusal if there is one; anything else that goes wrong is thrown. */
async function refusalOf(carried: Promise<void>): Promise<KernelError | undefined> {
  try {
    await carried;
    return undefined;
  } catch (error) {
    if (error instanceof KernelError) return error;
    throw error;
  }
}

function carryOut(run: RunCommand, watch: GenerationWatch, step: Step): Promise<void> {
  switch (step.kind) {
    case "sysctl":
      return writeSysctl(step.path, step.value);
    case "counter":
      return ensureCounter(step.name);
    case "iptables":
      return watch.ours(step.changes.length, () => restoreTables(run, step.family, step.changes));
  }
}
