// What does the kernel hold for one family, as far as we know, and how is it brought to what is wanted?
import type { KernelError } from "../errors.ts";
import type { Family } from "../net/family.ts";
import { changesBetween, type PagedList, pagedList, replaceItems, sameItems } from "../paged-list.ts";
import type { Plan, Step } from "../plan/plan.ts";
import { printPlan } from "../plan/print.ts";
import type { Fragment, KernelState } from "../state/kernel-state.ts";
import { findCulprits, isOverRule, type Verdict } from "./culprits.ts";
import type { Log } from "./log.ts";
import { type Means, type PassResult, pass } from "./pass.ts";
import type { Clock } from "./schedule.ts";
import { SetAside } from "./set-aside.ts";

/** Milliseconds after which the kernel is looked at whatever it told: a change between two of ours may hide. */
const HOUR = 3_600_000;

/** Lines of a drift that are logged; the rest is a number. */
const SHOWN = 20;

export interface KeeperInput {
  readonly family: Family;
  readonly clock: Clock;
  readonly log: Log;
  /** Milliseconds; the kernel is looked at no more often than this. */
  readonly syncPeriod: number;
}

/** Knows what was acknowledged, believes it until something speaks against it, and sets aside what is refused. */
export class Keeper {
  readonly #means: Means;
  readonly #input: KeeperInput;
  readonly #setAside = new SetAside();
  /** What the kernel acknowledged; undefined when that is not to be believed. */
  #held: KernelState | undefined;
  /** What it took last, whether it still has it or not. */
  #taken = pagedList<Fragment>();
  #looked = Number.NEGATIVE_INFINITY;
  #keptBefore = "";

  constructor(means: Means, input: KeeperInput) {
    this.#means = means;
    this.#input = input;
  }

  /** Believes nothing of the kernel until it is looked at again. */
  forget(): void {
    this.#held = undefined;
  }

  /**
   * Brings the kernel to the state; the answer is the step that was refused, if the whole failed over it. A fragment that
   * is refused is set aside and is no failure. Rejects with KernelError or RuleSyntaxError when the kernel cannot be
   * looked at.
   */
  async keep(wanted: KernelState): Promise<Step | undefined> {
    const start = this.#input.clock.now();
    const target = this.#setAside.withhold(wanted, start);
    const believed = this.#held !== undefined && !(await this.#mustLook(target, start)) ? this.#held : undefined;
    if (!believed) this.#looked = start;
    const drifted = !believed && this.#held !== undefined && sameItems(target.fragments, this.#held.fragments);
    let result = await this.#attempt(target, believed);
    if (drifted) this.#reportDrift(result.plan);
    let held = target;
    if (result.applied.refused && believed) result = await this.#attempt(target);
    for (const instead of [this.#taken, pagedList<Fragment>()]) {
      const error = result.applied.refused?.error;
      if (error && isOverRule(error)) ({ result, held } = await this.#withoutCulprits(target, error, instead));
    }
    this.#report(result, this.#input.clock.now() - start);
    if (result.applied.refused) return result.applied.refused.step;
    this.#held = held;
    this.#taken = held.fragments;
    this.#setAside.settle(held);
    return undefined;
  }

  #attempt(target: KernelState, believed?: KernelState): Promise<PassResult> {
    this.#held = undefined;
    return pass(this.#means, target, believed);
  }

  /**
   * With nothing else to do, whenever somebody else changed rules or (iptables-legacy tells nobody) might have; with a
   * change at hand, only when it was told that somebody did. In any case each hour.
   */
  async #mustLook(target: KernelState, now: number): Promise<boolean> {
    const age = now - this.#looked;
    if (age >= HOUR) return true;
    if (age < this.#input.syncPeriod) return false;
    if (this.#means.variant === "nft") return this.#means.kernel.moved(this.#input.family);
    return this.#held !== undefined && sameItems(target.fragments, this.#held.fragments);
  }

  /**
   * Suspects are those that are not as they were when the kernel last took everything; when that is no longer taken
   * either, all are (`instead` is empty).
   */
  async #withoutCulprits(target: KernelState, refusal: KernelError, instead: PagedList<Fragment>): Promise<Verdict> {
    const { clock, log, family } = this.#input;
    const suspects = changesBetween(target.fragments, instead).come;
    const taken = new Map([...instead].map((fragment) => [fragment.key, [fragment]] as const));
    const holdBack = (some: readonly Fragment[]): KernelState => {
      const back = new Set(some);
      const before = (one: Fragment) => (back.has(one) ? (taken.get(one.key) ?? []) : undefined);
      return { ...target, fragments: replaceItems(target.fragments, before) };
    };
    const verdict = await findCulprits(suspects, refusal, holdBack, (state) => this.#attempt(state));
    for (const { fragment, error } of verdict.culprits) {
      const fields = { ipFamily: family, servicePort: fragment.key, code: error.refusal.code, err: error.message };
      log.error(fields, "The kernel refused the rules of this Service port; it is set aside, all others are served");
    }
    this.#setAside.add(verdict.culprits, instead, clock.now());
    return verdict;
  }

  #report({ plan, applied }: PassResult, milliseconds: number): void {
    const { family, log } = this.#input;
    const fields = { ipFamily: family, mode: this.#means.backend.mode, elapsed: `${Math.round(milliseconds)}ms` };
    this.#reportKept(plan);
    if (applied.refused) {
      const { step, error } = applied.refused;
      const said = { ...fields, step: step.kind, code: error.refusal.code, err: error.message };
      log.error(said, "The kernel refused a change");
    } else if (plan.steps.length > 0) {
      log.info({ ...fields, steps: plan.steps.length }, "SyncProxyRules complete");
    }
  }

  #reportDrift(plan: Plan): void {
    if (plan.steps.length === 0) return;
    const lines = [...printPlan(plan)];
    const fields = { ipFamily: this.#input.family, lines: lines.length, changes: lines.slice(0, SHOWN).join("\n") };
    this.#input.log.warn(fields, "Somebody else changed our rules; they are restored");
  }

  #reportKept({ kept }: Plan): void {
    const chains = kept.map(({ table, chain, rule }) => `${table} ${chain} (${rule})`).join("; ");
    if (chains !== this.#keptBefore && chains !== "") {
      const fields = { ipFamily: this.#input.family, chains };
      this.#input.log.warn(fields, "Other software's rules lead into stale chains, which stay empty");
    }
    this.#keptBefore = chains;
  }
}
