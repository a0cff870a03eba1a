// What does the kernel hold for one family, as far as we know, and how is it brought to what is wanted?
import type { KernelError } from "../errors.ts";
import type { Applied } from "../kernel/apply.ts";
import type { ItemRefusal } from "../kernel/ipvs-step.ts";
import type { Family } from "../net/family.ts";
import { changesBetween, type PagedList, pagedList, replaceItems, sameItems } from "../paged-list.ts";
import type { Plan } from "../plan/plan.ts";
import { withheldOf } from "../state/ipvs-withheld.ts";
import { type Fragment, isIpvsMode, type KernelState } from "../state/kernel-state.ts";
import { type Culprit, findCulprits, isOverRule, type Verdict } from "./culprits.ts";
import { Draining } from "./draining.ts";
import { type Means, type PassResult, pass, type Start } from "./pass.ts";
import type { Clock } from "./schedule.ts";
import { type Held, SetAside } from "./set-aside.ts";
import { Withheld } from "./withheld.ts";

/** Milliseconds after which the kernel is looked at whatever it told: a change between two of ours may hide. */
const HOUR = 3_600_000;

export interface KeeperInput {
  readonly clock: Clock;
  /** Milliseconds; the kernel is looked at no more often than this. */
  readonly syncPeriod: number;
}

/** Times that a pass leaves out what of IPVS the kernel refuses, before it is given up. */
const ROUNDS = 3;

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
  /** Single servers, entries and addresses of IPVS mode that were newly refused. */
  readonly items: readonly ItemRefusal[];
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
  readonly #withheld = new Withheld();
  readonly #draining = new Draining();
  /** What the kernel acknowledged; undefined when that is not to be believed. */
  #held: KernelState | undefined;
  /** What it took last, whether it still has it or not. */
  #taken = pagedList<Fragment>();
  #looked = Number.NEGATIVE_INFINITY;
  /** When rules were found to read as they did, without a look at what they say. */
  #read = Number.NEGATIVE_INFINITY;
  #passed = false;

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

  /** What of IPVS is done without because the kernel refused it. */
  get withheld(): readonly ItemRefusal[] {
    return this.#withheld.all();
  }

  /** Milliseconds until real servers whose connections are waited for are to be looked at; undefined without any. */
  get nextLook(): number | undefined {
    return this.#draining.size === 0 ? undefined : this.#draining.wait(this.#input.clock.now());
  }

  /**
   * Brings the kernel to the state. A fragment that is refused is set aside and is no failure. Rejects with KernelError
   * or RuleSyntaxError when the kernel cannot be looked at.
   */
  async keep(wanted: KernelState): Promise<Kept> {
    const start = this.#input.clock.now();
    const target = this.#withheld.withhold(this.#setAside.withhold(wanted, start), start);
    const before = this.#held;
    const believed = before && !(await this.#mustLook(target, before, start)) ? before : undefined;
    if (!believed) this.#looked = start;
    const quiet = before !== undefined && isSame(target, before);
    const attempts: PassResult[] = [];
    const attempt = async (state: KernelState, from: Start) => {
      const result = await this.#attempt(state, from);
      attempts.push(result);
      return result;
    };
    let result = await attempt(target, believed ? { held: believed } : { unhurried: quiet });
    const drift = quiet && !believed ? driftIn(result.plan) : undefined;
    const { refused: step, items: some } = result.applied;
    if (believed && (step || some.length > 0)) result = await attempt(target, LOOK);
    const { held, culprits } = await this.#withoutCulprits(target, result, (state) => attempt(state, LOOK));
    const items: ItemRefusal[] = [];
    const whole = held && (await this.#withoutItems({ held, first: result, items }, (state) => attempt(state, LOOK)));
    if (whole) this.#believe(whole);
    const elapsed = this.#input.clock.now() - start;
    return { elapsed, scope: believed ? "partial" : "full", attempts, drift, culprits, items };
  }

  /** Until it went well nothing is believed. */
  async #attempt(state: KernelState, from: Start): Promise<PassResult> {
    const { clock } = this.#input;
    this.#held = undefined;
    const due = this.#draining.due(clock.now());
    const ipvs = { initial: !this.#passed, draining: this.#draining.keys, due };
    const result = await pass(this.#means, state, state.ipvs ? { ...from, ipvs } : from);
    this.#passed = true;
    this.#draining.note(result.plan, result.applied, due, clock.now());
    return result;
  }

  #believe(held: KernelState): void {
    this.#held = held;
    this.#taken = held.fragments;
    this.#setAside.settle(held);
    this.#withheld.settle(held);
  }

  /**
   * With nothing else to do, whenever somebody else changed rules or (iptables-legacy tells nobody) they read otherwise
   * than they did; with a change at hand, only when it was told that somebody did. In any case each hour. Of sets and
   * servers nobody tells, so in IPVS mode it is each sync period; and once what was refused may be had, or is done
   * without.
   */
  async #mustLook(target: KernelState, held: KernelState, now: number): Promise<boolean> {
    if (withheldOf(target) !== withheldOf(held)) return true;
    const age = now - this.#looked;
    if (age >= HOUR) return true;
    if (age < this.#input.syncPeriod) return false;
    if (isIpvsMode(target)) return true;
    if (this.#means.variant === "nft") return this.#means.kernel.moved(target.family);
    return isSame(target, held) && !(await this.#readsTheSame(target.family, now));
  }

  async #readsTheSame(family: Family, now: number): Promise<boolean> {
    if (now - this.#read < this.#input.syncPeriod) return true;
    const same = await this.#means.kernel.readsTheSame(family);
    if (same) this.#read = now;
    return same;
  }

  /**
   * What the kernel holds in the end, without the single things of IPVS that it refused, which are added to `items`: all
   * that depends on them is taken back. Undefined where it keeps refusing others. What is done without already and
   * refused once more is something that was to go: it stays, and nothing depends on it.
   */
  async #withoutItems(
    { held, first, items }: ItemSearch,
    attempt: (state: KernelState) => Promise<PassResult>,
  ): Promise<KernelState | undefined> {
    let [state, { applied }] = [held, first];
    for (let round = 0; ; round++) {
      const known = withheldOf(state);
      const more = applied.items.filter(({ key }) => !known.has(key));
      if (more.length === 0) return state;
      const now = this.#input.clock.now();
      items.push(...more);
      this.#withheld.add(more, now);
      if (round === ROUNDS) return undefined;
      state = this.#withheld.withhold(state, now);
      ({ applied } = await attempt(state));
      if (applied.refused) return undefined;
    }
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
      // In IPVS mode rules are of no Service but those that all share.
      if (!error || !isOverRule(error) || isIpvsMode(target)) break;
      found = await search({ target, instead, error, attempt });
      this.#setAside.add(found.culprits, instead, this.#input.clock.now());
      culprits.push(...found.culprits);
    }
    return { held: found.result.applied.refused ? undefined : found.held, culprits };
  }
}

const LOOK: Start = { unhurried: false };

/** Is the same wanted, so that whatever differs is somebody else's doing? */
function isSame(a: KernelState, b: KernelState): boolean {
  return sameItems(a.fragments, b.fragments) && withheldOf(a) === withheldOf(b);
}

/** What somebody else changed; a real server that drains is nobody's doing. */
function driftIn(plan: Plan): Plan | undefined {
  const steps = plan.steps.filter((step) => step.kind !== "retire" || !step.again);
  return steps.length === 0 ? undefined : { ...plan, steps };
}

interface ItemSearch {
  readonly held: KernelState;
  /** The attempt that had things refused. */
  readonly first: PassResult;
  readonly items: ItemRefusal[];
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
