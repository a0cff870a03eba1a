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

/**
 * Carries the steps out in order until one is refused, and ends when those are over that were under way meanwhile. What
 * goes wrong without the kernel saying no is thrown.
 */
export async function applyPlan(
  { steps }: Plan,
  carryOut: CarryOut,
  progressed: (progress: Progress) => void = () => {},
): Promise<Applied> {
  const course = new Course(carryOut, ({ rules, done }) => progressed({ rules, done: done.length, of: steps.length }));
  const last = steps.findLastIndex(({ kind }) => kind === "iptables");
  const underWay: Promise<void>[] = [];
  for (const [index, step] of steps.entries()) {
    if (index === last) await Promise.all(underWay);
    if (course.refused) break;
    const taken = course.take(step);
    if (step.kind === "sets" && step.meanwhile) underWay.push(heeded(taken));
    else await taken;
  }
  await Promise.all(underWay);
  const { done, refused, sent, items, draining } = course;
  return { done, ...(refused && { refused }), sent, items, draining };
}

/** It is waited for later: until then, that it went wrong is not nobody's concern. */
function heeded<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** What came of the steps so far. */
class Course {
  readonly done: Step[] = [];
  readonly items: ItemRefusal[] = [];
  readonly draining: Retirement[] = [];
  readonly sent = new Map<TableName, number>();
  rules = 0;
  /** The first. */
  refused: Applied["refused"];
  readonly #carryOut: CarryOut;
  readonly #tell: (course: Course) => void;

  constructor(carryOut: CarryOut, tell: (course: Course) => void) {
    this.#carryOut = carryOut;
    this.#tell = tell;
  }

  async take(step: Step): Promise<void> {
    const outcome = await outcomeOf(this.#carryOut(step, (table) => this.#count(table)));
    if (outcome instanceof KernelError) {
      this.refused ??= { step, error: outcome };
      return;
    }
    this.items.push(...outcome.items);
    this.draining.push(...outcome.draining);
    this.done.push(step);
    this.#tell(this);
  }

  #count(table: TableName): void {
    this.sent.set(table, (this.sent.get(table) ?? 0) + 1);
    if (++this.rules % STRIDE === 0) this.#tell(this);
  }
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
