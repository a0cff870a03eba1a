// Reconciles one IP family: remembers what the kernel acknowledged, observes the kernel when that is in doubt, and
// applies the difference to the desired state.
import type { KernelError } from "../errors.ts";
import type { Applied } from "../kernel/apply.ts";
import type { ItemRefusal } from "../kernel/ipvs-step.ts";
import type { Family } from "../net/family.ts";
import { pagedList, sameItems } from "../paged-list.ts";
import type { Plan } from "../plan/plan.ts";
import { withheldOf } from "../state/ipvs-withheld.ts";
import { type Fragment, isIpvsMode, type KernelState } from "../state/kernel-state.ts";
import { Draining } from "./draining.ts";
import { type Means, type Pass, type PassResult, pass, type Start } from "./pass.ts";
import {
  type AttemptResult,
  isOverRule,
  isolateRejected,
  isTransient,
  Quarantine,
  type RejectedService,
} from "./quarantine.ts";
import type { Clock } from "./schedule.ts";
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
  /** In order. */
  readonly attempts: readonly PassResult[];
  /** Set where the desired state was not reached. */
  readonly failure?: NonNullable<Applied["refused"]>;
  /** What somebody else had changed. */
  readonly drift: Plan | undefined;
  /** ServicePorts that were quarantined in this sync. */
  readonly rejected: readonly RejectedService[];
  /** Single servers, entries and addresses of IPVS mode that were newly refused. */
  readonly items: readonly ItemRefusal[];
}

/** The change that the kernel rejected in the end, so that the desired state was not reached. */
export function refusalIn({ failure }: Kept): Applied["refused"] {
  return failure;
}

/** Knows what the kernel acknowledged, trusts it until something speaks against it, and quarantines what is rejected. */
export class Keeper {
  readonly #means: Means;
  readonly #input: KeeperInput;
  readonly #quarantine = new Quarantine();
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

  /** ServicePorts whose rules the kernel rejected; it keeps what it had of them. */
  get setAside(): readonly RejectedService[] {
    return this.#quarantine.all();
  }

  /** What of IPVS is done without because the kernel refused it. */
  get withheld(): readonly ItemRefusal[] {
    return this.#withheld.all();
  }

  /** Milliseconds until draining real servers are looked at or something rejected is tried again; undefined without any. */
  get nextLook(): number | undefined {
    const now = this.#input.clock.now();
    const waits = [
      this.#draining.size === 0 ? undefined : this.#draining.wait(now),
      this.#quarantine.nextRetry(now),
      this.#withheld.nextRetry(now),
    ].filter((wait) => wait !== undefined);
    return waits.length === 0 ? undefined : Math.min(...waits);
  }

  /**
   * Brings the kernel to the state. A ServicePort that the kernel rejects is quarantined and is no failure. Rejects with
   * KernelError or RuleSyntaxError when the kernel cannot be observed.
   */
  async keep(wanted: KernelState): Promise<Kept> {
    const start = this.#input.clock.now();
    const target = this.#withheld.withhold(this.#quarantine.withhold(wanted, start), start);
    const before = this.#held;
    const believed = before && !(await this.#mustLook(target, before, start)) ? before : undefined;
    if (!believed) this.#looked = start;
    const quiet = before !== undefined && isSame(target, before);
    const attempts: PassResult[] = [];
    const attempt = async (state: KernelState, from: Start = LOOK): Promise<AttemptResult> => {
      const { observed, ...result } = await this.#attempt(state, from);
      attempts.push(result);
      return { applied: result.applied, observed };
    };
    let result = await attempt(target, believed ? { held: believed } : { unhurried: quiet });
    const drift = quiet && !believed ? driftIn(attempts[0]?.plan) : undefined;
    if (isWorthARetry(result.applied, believed !== undefined)) result = await attempt(target);
    const { held, rejected, failure } = await this.#withoutRejected(target, result, attempt);
    const items: ItemRefusal[] = [];
    const whole = held && (await this.#withoutItems({ held, first: result, items }, attempt));
    if (whole) this.#believe(whole);
    const elapsed = this.#input.clock.now() - start;
    const failed = failure ?? attempts.at(-1)?.applied.refused;
    return {
      ...{ elapsed, scope: believed ? "partial" : "full", attempts, drift, rejected, items },
      ...(failed && { failure: failed }),
    };
  }

  /** Until it went well nothing is believed. */
  async #attempt(state: KernelState, from: Start): Promise<Pass> {
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
    this.#quarantine.settle(held);
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
    attempt: (state: KernelState) => Promise<AttemptResult>,
  ): Promise<KernelState | undefined> {
    let [state, { applied }] = [held, first];
    for (let round = 0; ; round++) {
      const known = withheldOf(state);
      const more = applied.items.filter(({ key }) => !known.rejected.has(key));
      if (more.length === 0) return state;
      const now = this.#input.clock.now();
      items.push(...more);
      this.#withheld.add(more, state, now);
      if (round === ROUNDS) return undefined;
      state = this.#withheld.withhold(state, now);
      ({ applied } = await attempt(state));
      if (applied.refused) return undefined;
    }
  }

  /** What the kernel holds in the end, and the ServicePorts whose new rules were left out for that. */
  async #withoutRejected(
    target: KernelState,
    first: AttemptResult,
    attempt: (state: KernelState) => Promise<AttemptResult>,
  ): Promise<{ held: KernelState | undefined; rejected: readonly RejectedService[]; failure?: Applied["refused"] }> {
    const refused = first.applied.refused;
    if (!refused) return { held: target, rejected: [] };
    // In IPVS mode all Services share the rules, so that none of them is to blame.
    if (refused.step.kind !== "iptables" || !isOverRule(refused.error) || isIpvsMode(target)) {
      return { held: undefined, rejected: [], failure: refused };
    }
    const probe = () => this.#probe(target.family);
    const suspectedWith = (fragment: Fragment) => this.#quarantine.suspectedWith(fragment);
    const search = { target, accepted: this.#taken, suspectedWith, first, attempt, probe };
    const { rejected, held, error } = await isolateRejected(search);
    this.#quarantine.add(rejected, this.#input.clock.now());
    return { held, rejected, ...(!held && { failure: { step: refused.step, error: error ?? refused.error } }) };
  }

  /** Restores the canary chain, which is empty and always there. */
  async #probe(family: Family): Promise<KernelError | undefined> {
    const changes = [{ table: "mangle", clear: [CANARY], rules: [], remove: [] }] as const;
    const { refused } = await this.#means.kernel.apply({ steps: [{ kind: "iptables", family, changes }], kept: [] });
    return refused?.error;
  }
}

const LOOK: Start = { unhurried: false };

const CANARY = "KUBE-PROXY-CANARY";

/**
 * The same change is tried once more, from what the kernel really holds, before any Service is blamed. A transient error
 * is left to the next sync, a second later.
 */
function isWorthARetry({ refused, items }: Applied, believed: boolean): boolean {
  if (refused && (isTransient(refused.error) || (!believed && !isOverRule(refused.error)))) return false;
  return refused !== undefined || (believed && items.length > 0);
}

/** Is the same wanted, so that whatever differs is somebody else's doing? */
function isSame(a: KernelState, b: KernelState): boolean {
  return sameItems(a.fragments, b.fragments) && withheldOf(a) === withheldOf(b);
}

/** What somebody else changed; a real server that drains is nobody's doing. */
function driftIn(plan: Plan | undefined): Plan | undefined {
  if (!plan) return undefined;
  const steps = plan.steps.filter((step) => step.kind !== "retire" || !step.again);
  return steps.length === 0 ? undefined : { ...plan, steps };
}

interface ItemSearch {
  readonly held: KernelState;
  /** The attempt that had things refused. */
  readonly first: AttemptResult;
  readonly items: ItemRefusal[];
}
