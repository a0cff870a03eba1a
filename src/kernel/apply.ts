// How far did the kernel follow a plan?
import { KernelError } from "../errors.ts";
import type { Plan, Step } from "../plan/plan.ts";
import type { TableName } from "../state/kernel-state.ts";
import type { Retirement } from "../state/server-change.ts";
import type { ItemRefusal, StepOutcome } from "./ipvs-step.ts";

/** How many rules, by table; a table without any may be missing. */
export type RulesByTable = ReadonlyMap<TableName, number>;

/** Which steps of a plan the kernel acknowledged, and the one that it refused; those behind that one were not tried. */
export interface Applied {
  readonly done: readonly Step[];
  readonly refused?: { readonly step: Step; readonly error: KernelError };
  /** Rules that were sent, by table; of a refused step too. */
  readonly sent: RulesByTable;
  /** Single things of steps that were done otherwise: one server or entry refused is no reason to leave out the rest. */
  readonly items: readonly ItemRefusal[];
  /** Real servers that were to go and still have connections. */
  readonly draining: readonly Retirement[];
}

/** How far a plan is carried out. */
export interface Progress {
  /** Rules sent. */
  readonly rules: number;
  /** Steps acknowledged. */
  readonly done: number;
  /** Steps of the plan. */
  readonly of: number;
}

export type OnRule = (table: TableName) => void;

/** Carries one step out; calls back for each rule that is on its way. Rejects with KernelError. */
export type CarryOut = (step: Step, onRule: OnRule) => Promise<StepOutcome>;

/** Rules between two reports of progress within a step. */
const STRIDE = 10_000;

/** Carries the steps out in order until one is refused. What goes wrong without the kernel saying no is thrown. */
export async function applyPlan(
  { steps }: Plan,
  carryOut: CarryOut,
  progressed: (progress: Progress) => void = () => {},
): Promise<Applied> {
  const done: Step[] = [];
  const items: ItemRefusal[] = [];
  const draining: Retirement[] = [];
  const sent = new Map<TableName, number>();
  let rules = 0;
  const tell = () => progressed({ rules, done: done.length, of: steps.length });
  const onRule: OnRule = (table) => {
    sent.set(table, (sent.get(table) ?? 0) + 1);
    if (++rules % STRIDE === 0) tell();
  };
  for (const step of steps) {
    const outcome = await outcomeOf(carryOut(step, onRule));
    if (outcome instanceof KernelError) return { done, refused: { step, error: outcome }, sent, items, draining };
    items.push(...outcome.items);
    draining.push(...outcome.draining);
    done.push(step);
    tell();
  }
  return { done, sent, items, draining };
}

/** The refusal if there is one; anything else that goes wrong is thrown. */
async function outcomeOf(carried: Promise<StepOutcome>): Promise<StepOutcome | KernelError> {
  try {
    return await carried;
  } catch (error) {
    if (error instanceof KernelError) return error;
    throw error;
  }
}
