// What is the door to the machine?
import type { KernelError } from "../errors.ts";
import type { Family } from "../net/family.ts";
import type { Plan, Step } from "../plan/plan.ts";
import type { KernelState } from "../state/kernel-state.ts";
import type { NodeFacts } from "../state/node-facts.ts";
import { applyStep } from "./apply.ts";
import type { RunCommand } from "./command.ts";
import { saveTables } from "./iptables.ts";
import { observeCounters } from "./nfacct.ts";
import { readAddresses, readNodeFacts } from "./node-facts.ts";
import { observeSysctls } from "./sysctl.ts";

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
}

/** The machine that this process runs on, through programs started by `run`. */
export function machine(run: RunCommand): Kernel {
  return {
    facts: () => readNodeFacts(run),
    addresses: readAddresses,
    observe: async (family, { sysctls, counters }) => ({
      family,
      observed: true,
      tables: await saveTables(run, family),
      fragments: [],
      sysctls: await observeSysctls(sysctls),
      counters: counters.length === 0 ? [] : await observeCounters(counters),
    }),
    apply: (plan) => applyPlan(run, plan),
  };
}

async function applyPlan(run: RunCommand, { steps }: Plan): Promise<Applied> {
  const done: Step[] = [];
  for (const step of steps) {
    const error = await applyStep(run, step);
    if (error) return { done, refused: { step, error } };
    done.push(step);
  }
  return { done };
}
