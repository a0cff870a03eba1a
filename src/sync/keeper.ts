// What does the kernel hold for one family, as far as we know, and how is it brought to what is wanted?
import type { KernelError } from "../errors.ts";
import type { Applied } from "../kernel/apply.ts";
import { changesBetween, type PagedList, pagedList, replaceItems, sameItems } from "../paged-list.ts";
import type { Plan } from "../plan/plan.ts";
import type { Fragment, KernelState } from "../state/kernel-state.ts";
import { type Culprit, findCulprits, isOverRule, type Verdict } from "./culprits.ts";
import { type Means, type PassResult, pass, type Start } from "./pass.ts";
import type { Clock } from "./schedule.ts";
import { type Held, SetAside } from "./set-aside.ts";

/** Milliseconds after which the kernel is looked at whatever it told: a change between two of ours may hide. */
const HOUR = 3_600_000;

export interface KeeperInput {
  readonly clock: Clock;
  /** Milliseconds; the kernel is looked at no more often than this. */
  readonly syncPeriod: number;
}

/** How the kernel was brought to a state, or was not. */
export interface Kept {
  /** Milliseconds. */
  readonly elapsed: number;
  /** `full`: the kernel was looked at and compared whole; `partial`: only what changed since it was. */
  readonly scope: "full" | "partial";
  /** In order. The last one decides: if a step of it was refused, all of it failed. */
  readonly attempts: readonly PassResult[];
  /** What somebody else had changed. */
  readonly drift: Plan | undefined;
  /** Newly set aside. */
  readonly culprits: readonly Culprit[];
}

/** What was refused in the end, so that the kernel was not brought to the state. */
export function refusalIn({ attempts }: Kept): Applied["refused"] {
  return attempts.at(-1)?.applied.refused;
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

  constructor(means: Means, input: KeeperInput) {
    this.#means = means;
    this.#input = input;
  }

  /** Believes nothing of the kernel until it is looked at again. */
  forget(): void {
    this.#held = undefined;
  }

  /** What the kernel holds, as far as that is to be believed. */
  get held(): KernelState | undefined {
    return this.#held;
  }

  /** What is held back because the kernel refused it. */
  get setAside(): readonly Held[] {
    return this.#setAside.all();
  }

  /**
   * Brings the kernel to the state. A fragment that is refused is set aside and is no failure. Rejects with KernelError
   * or RuleSyntaxError when the kernel cannot be looked at.
   */
  async keep(wanted: KernelState): Promise<Kept> {
    const start = this.#input.clock.now();
    const target = this.#setAside.withhold(wanted, start);
    const before = this.#held;
    const believed = before && !(await this.#mustLook(target, start)) ? before : undefined;
    if (!believed) this.#looked = start;
    const quiet = before !== undefined && sameItems(target.fragments, before.fragments);
    const attempts: PassResult[] = [];
    const attempt = async (state: KernelState, from: Start) => {
      this.#held = undefined;
      const result = await pass(this.#means, state, from);
      attempts.push(result);
      return result;
    };
    let result = await attempt(target, believed ? { held: believed } : { unhurried: quiet });
    const drift = quiet && !believed && result.plan.steps.length > 0 ? result.plan : undefined;
    if (result.applied.refused && believed) result = await attempt(target, { unhurried: false });
    const { held, culprits } = await this.#withoutCulprits(target, result, (state) =>
      attempt(state, { unhurried: false }),
    );
    if (held) this.#believe(held);
    const elapsed = this.#input.clock.now() - start;
    return { elapsed, scope: believed ? "partial" : "full", attempts, drift, culprits };
  }

  #believe(held: KernelState): void {
    this.#held = held;
    this.#taken = held.fragments;
    this.#setAside.settle(held);
  }

  /**
   * With nothing else to do, whenever somebody else changed rules or (iptables-legacy tells nobody) might have; with a
   * change at hand, only when it was told that somebody did. In any case each hour.
   */
  async #mustLook(target: KernelState, now: number): Promise<boolean> {
    const age = now - this.#looked;
    if (age >= HOUR) return true;
    if (age < this.#input.syncPeriod) return false;
    if (this.#means.variant === "nft") return this.#means.kernel.moved(target.family);
    return this.#held !== undefined && sameItems(target.fragments, this.#held.fragments);
  }

  /**
   * What the kernel holds in the end, and whose rules were left out for that. Suspects are those that are not as they
   * were when the kernel last took everything; when that is no longer taken either, all are.
   */
  async #withoutCulprits(
    target: KernelState,
    first: PassResult,
    attempt: (state: KernelState) => Promise<PassResult>,
  ): Promise<{ held: KernelState | undefined; culprits: readonly Culprit[] }> {
    let found: Verdict = { culprits: [], result: first, held: target };
    const culprits: Culprit[] = [];
    for (const instead of [this.#taken, pagedList<Fragment>()]) {
      const error = found.result.applied.refused?.error;
      if (!error || !isOverRule(error)) break;
      found = await search({ target, instead, error, attempt });
      this.#setAside.add(found.culprits, instead, this.#input.clock.now());
      culprits.push(...found.culprits);
    }
    return { held: found.result.applied.refused ? undefined : found.held, culprits };
  }
}

interface Search {
  readonly target: KernelState;
  /** What the kernel takes in place of suspects. */
  readonly instead: PagedList<Fragment>;
  readonly error: KernelError;
  readonly attempt: (state: KernelState) => Promise<PassResult>;
}

function search({ target, instead, error, attempt }: Search): Promise<Verdict> {
  const suspects = changesBetween(target.fragments, instead).come;
  const taken = new Map([...instead].map((fragment) => [fragment.key, [fragment]] as const));
  const holdBack = (some: readonly Fragment[]): KernelState => {
    const back = new Set(some);
    const before = (one: Fragment) => (back.has(one) ? (taken.get(one.key) ?? []) : undefined);
    return { ...target, fragments: replaceItems(target.fragments, before) };
  };
  return findCulprits(suspects, error, holdBack, attempt);
}
