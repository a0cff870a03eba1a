// Reconciles one IP family: remembers what the kernel acknowledged, observes the kernel when that is in doubt, and
// applies the difference to the desired state.
import { KernelError, RuleSyntaxError } from "../errors.ts";
import type { Applied } from "../kernel/apply.ts";
import type { ItemRefusal } from "../kernel/ipvs-step.ts";
import type { Family } from "../net/family.ts";
import { pagedList } from "../paged-list.ts";
import { diff } from "../plan/diff.ts";
import type { Plan } from "../plan/plan.ts";
import { withheldOf } from "../state/ipvs-withheld.ts";
import { type Fragment, isIpvsMode, type KernelState, type TableName } from "../state/kernel-state.ts";
import { wholeTable } from "../state/whole-tables.ts";
import { Draining } from "./draining.ts";
import { lookFor, type Means, type Pass, type PassResult, pass, type Start } from "./pass.ts";
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

/** Milliseconds after which the kernel is observed even if nf_tables reported no foreign change. */
const HOUR = 3_600_000;

/** Milliseconds between two questions whether other software changed nf_tables, and the least time for a repair. */
const POLL = 1_000;

/**
 * Other software that keeps changing its own nf_tables rules causes whole observations that take at most one part in so
 * many of the time; between them our chains are compared by their number of rules and references.
 */
const RARITY = 200;

/** Milliseconds until a table that could not be read is read again; doubles up to the sync period. */
const FIRST_READ_RETRY = 1_000;

export interface KeeperInput {
  readonly clock: Clock;
  /** Milliseconds within which a change by other software is repaired. */
  readonly syncPeriod: number;
  /** Milliseconds between two syncs; a repair may have to wait for so long. */
  readonly minSyncPeriod?: number;
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
  /** What other software had changed. */
  readonly drift: Plan | undefined;
  /** Something was written that an observation found missing or different. */
  readonly restored: boolean;
  /** ServicePorts that were quarantined in this sync. */
  readonly rejected: readonly RejectedService[];
  /** Single servers, entries and addresses of IPVS mode that were newly refused. */
  readonly items: readonly ItemRefusal[];
  /** The tables that could not be read at the last observation, with the reason. */
  readonly unreadable?: ReadonlyMap<TableName, string>;
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
  /** When the last observation began; none is known to be right before the first. */
  #observed = Number.NEGATIVE_INFINITY;
  /** When the kernel was last known to hold the applied state: observed, or no foreign change reported. */
  #verified = Number.NEGATIVE_INFINITY;
  /** Milliseconds that the last observation in the background took. */
  #cost = 0;
  /** An observation found a difference that no sync has repaired yet. */
  #drifted = false;
  /** When nf_tables was last asked for foreign changes. */
  #asked = Number.NEGATIVE_INFINITY;
  /** There was a foreign change of nf_tables since the last observation. */
  #foreign = false;
  /** The tables that could not be read at the last observation, with the reason. Their rules were written, not compared. */
  #unreadable: ReadonlyMap<TableName, string> = new Map();
  /** Milliseconds until they are read again. */
  #readRetry = FIRST_READ_RETRY;
  /** While a verification runs: the applied state at its start and each one acknowledged since. */
  #acknowledged: KernelState[] | undefined;
  #sync: Promise<unknown> = Promise.resolve();
  #passed = false;

  constructor(means: Means, input: KeeperInput) {
    this.#means = means;
    this.#input = input;
  }

  /** Drops the applied state: the next sync observes the kernel. */
  forget(): void {
    this.#held = undefined;
  }

  /**
   * Whether other software changed our rules, as far as nf_tables reports changes. Reads rules only when it reports one,
   * in IPVS mode a few dozen.
   */
  async rulesMoved(): Promise<boolean> {
    const { kernel, variant } = this.#means;
    const applied = this.#held;
    if (!applied || variant !== "nft" || !(await kernel.moved(applied.family))) return false;
    const look = { sysctls: [], counters: [], expected: applied.tables };
    const observed = this.#unreadable.size === 0 && (await kernel.observeInBackground(applied.family, look));
    // A sync that ended meanwhile may have changed them. Tables that cannot be read are left to `verify`.
    if (!observed || observed.unreadable || this.#held !== applied) return false;
    const { ipvs: _, ...rest } = applied;
    return !this.#is(applied, { ...rest, observed: true, tables: observed.tables, fragments: observed.fragments });
  }

  /** Something tells that the kernel differs: the next sync observes it, after it has applied what changed. */
  suspect(): void {
    this.#drifted = true;
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
   * Brings the kernel to the state. A ServicePort that the kernel rejects is quarantined and is no failure. A change is
   * applied from the applied state first; only then drift that `verify` found is repaired. Rejects with KernelError or
   * RuleSyntaxError when the kernel cannot be observed.
   */
  keep(wanted: KernelState): Promise<Kept> {
    const sync = this.#keep(wanted);
    this.#sync = sync.catch(() => {});
    return sync;
  }

  /** Milliseconds until `verify` has something to do, in time for a repair within the sync period. */
  get nextVerification(): number {
    const { clock, syncPeriod, minSyncPeriod = 0 } = this.#input;
    if (this.#unreadable.size > 0) return Math.max(0, this.#verified + this.#readRetry - clock.now());
    const repair = Math.min(syncPeriod / 2, 2 * this.#cost + minSyncPeriod + POLL);
    const due = this.#verified + syncPeriod - repair;
    // In IPVS mode both families share one read of the servers if they verify at the same moment.
    const shared = this.#held && isIpvsMode(this.#held) ? due - (due % (syncPeriod / 6)) : due;
    return Math.max(0, Math.max(shared, this.#asked + POLL) - clock.now());
  }

  /**
   * Compares the kernel with the applied state, in the background and while syncs go on. Resolves to whether a sync is
   * needed because they differ, the kernel could not be observed, or other tables than before cannot be read. To be called
   * when `nextVerification` is over; where nf_tables reports changes, it is put off for a second at a time until there was
   * a foreign one.
   */
  async verify(): Promise<boolean> {
    const applied = this.#held;
    if (!applied || this.nextVerification > 0) return false;
    const { clock } = this.#input;
    const start = clock.now();
    if (this.#unreadable.size === 0 && !(await this.#mayDiffer(applied, start))) return false;
    this.#verified = start;
    const acknowledged = [applied];
    this.#acknowledged = acknowledged;
    const observed = await this.#observeInBackground(applied, start);
    await this.#sync;
    this.#acknowledged = undefined;
    this.#cost = clock.now() - start;
    // A sync that failed meanwhile left no applied state, and one that observed the kernel has repaired it.
    if (!this.#held || this.#observed >= start) return false;
    if (observed === "failed") {
      this.#drifted = true;
      return true;
    }
    const before = this.#unreadable;
    this.#noteUnreadable(observed?.unreadable);
    if (this.#unreadable.size + before.size > 0) {
      const isSame = !observed || acknowledged.some((one) => this.#is(one, asFarAsReadable(one, observed)));
      const isReadableAgain = [...before.keys()].some((table) => !this.#unreadable.has(table));
      // As in kube-proxy, everything is written once an hour: changes in chains that cannot be read show nowhere.
      if (isReadableAgain || !isSame || start - this.#observed >= HOUR) this.forget();
      return !this.#held || before.size === 0;
    }
    if (observed && !acknowledged.some((one) => this.#is(one, { ...one, ...observed }))) {
      this.#drifted = true;
      return true;
    }
    this.#observed = start;
    this.#foreign = false;
    return false;
  }

  /** Reads again at growing intervals, of which reading takes a small part however long it takes. */
  #noteUnreadable(unreadable: ReadonlyMap<TableName, string> = new Map()): void {
    const longest = Math.max(this.#input.syncPeriod, RARITY * this.#cost);
    const isFirst = this.#unreadable.size === 0 || unreadable.size === 0;
    this.#readRetry = isFirst ? FIRST_READ_RETRY : Math.min(2 * this.#readRetry, longest);
    this.#unreadable = unreadable;
  }

  /** In IPVS mode without the rules, as long as nf_tables reports no foreign change. */
  async #observeInBackground(applied: KernelState, now: number): Promise<Partial<KernelState> | undefined | "failed"> {
    const { kernel, variant } = this.#means;
    const { family } = applied;
    try {
      const look = lookFor(applied);
      if (
        look.ipvs &&
        isIpvsMode(applied) &&
        variant === "nft" &&
        this.#unreadable.size === 0 &&
        now - this.#observed < HOUR &&
        !(await kernel.moved(family))
      ) {
        return { ipvs: await kernel.ipvs(family, look.ipvs), sysctls: await kernel.sysctls(look.sysctls) };
      }
      return await this.#means.kernel.observeInBackground(applied.family, lookFor(applied));
    } catch (error) {
      if (error instanceof KernelError || error instanceof RuleSyntaxError) return "failed";
      throw error;
    }
  }

  #is(applied: KernelState, observed: KernelState): boolean {
    const ipvs = { initial: !this.#passed, draining: this.#draining.keys, due: [] };
    const { variant, backend } = this.#means;
    return !driftIn(diff(applied, observed, { jumps: backend.jumps, variant, ...(applied.ipvs && { ipvs }) }));
  }

  /** iptables-legacy and IPVS report no changes. */
  async #mayDiffer(applied: KernelState, now: number): Promise<boolean> {
    const { kernel, variant } = this.#means;
    const age = now - this.#observed;
    if (variant !== "nft" || isIpvsMode(applied) || age >= HOUR) return true;
    this.#asked = now;
    const moved = await kernel.moved(applied.family);
    this.#foreign ||= moved;
    if (this.#foreign && age >= RARITY * this.#cost) return true;
    if (!moved) return false;
    if (await kernel.chainsMoved(applied.family)) return true;
    this.#verified = now;
    return false;
  }

  async #keep(wanted: KernelState): Promise<Kept> {
    const start = this.#input.clock.now();
    const target = this.#withheld.withhold(this.#quarantine.withhold(wanted, start), start);
    const before = this.#held;
    // Rejected IPVS items that are due or newly skipped may be there or not.
    const believed = before && withheldOf(target) === withheldOf(before) ? before : undefined;
    const attempts: PassResult[] = [];
    const attempt = async (state: KernelState, from: Start = {}): Promise<AttemptResult> => {
      const { observed, ...result } = await this.#attempt(state, from);
      attempts.push(result);
      return { applied: result.applied, observed };
    };
    let result = await attempt(target, believed && { held: believed });
    let drift: Plan | undefined;
    if (isWorthARetry(result.applied, believed !== undefined)) {
      result = await attempt(target);
    } else if (believed && this.#drifted && !result.applied.refused) {
      result = await attempt(target);
      drift = driftIn(attempts.at(-1)?.plan);
    }
    const { held, rejected, failure } = await this.#withoutRejected(target, result, attempt);
    const items: ItemRefusal[] = [];
    const whole = held && (await this.#withoutItems({ held, first: result, items }, attempt));
    if (whole) this.#believe(whole);
    const elapsed = this.#input.clock.now() - start;
    const failed = failure ?? attempts.at(-1)?.applied.refused;
    const scope = believed && !drift ? "partial" : "full";
    const restored = attempts.slice(believed ? 1 : 0).some(({ applied }) => applied.done.length > 0);
    return {
      ...{ elapsed, scope, attempts, drift, restored, rejected, items },
      ...(failed && { failure: failed }),
      ...(this.#unreadable.size > 0 && { unreadable: this.#unreadable }),
    };
  }

  /** Until it went well nothing is believed. */
  async #attempt(state: KernelState, from: Start): Promise<Pass> {
    const { clock } = this.#input;
    this.#held = undefined;
    const start = clock.now();
    const due = this.#draining.due(start);
    const ipvs = { initial: !this.#passed, draining: this.#draining.keys, due };
    const result = await pass(this.#means, state, state.ipvs ? { ...from, ipvs } : from);
    if (!from.held) {
      this.#observed = start;
      this.#verified = start;
      this.#drifted = false;
      this.#foreign = false;
      this.#noteUnreadable(result.observed.unreadable);
    }
    this.#passed = true;
    this.#draining.note(result.plan, result.applied, due, clock.now());
    return result;
  }

  #believe(held: KernelState): void {
    this.#held = held;
    this.#acknowledged?.push(held);
    this.#taken = held.fragments;
    this.#quarantine.settle(held);
    this.#withheld.settle(held);
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

const CANARY = "KUBE-PROXY-CANARY";

/**
 * The same change is tried once more, from what the kernel really holds, before any Service is blamed. A transient error
 * after an observation is left to the next sync, a second later; without one it may only mean that other software changed
 * the rules (a chain that is to be deleted is busy while a rule of theirs jumps to it).
 */
function isWorthARetry({ refused, items }: Applied, believed: boolean): boolean {
  if (believed) return refused !== undefined || items.length > 0;
  return refused !== undefined && !isTransient(refused.error) && isOverRule(refused.error);
}

/** What other software changed; a real server that drains is no drift. */
function driftIn(plan: Plan | undefined): Plan | undefined {
  if (!plan) return undefined;
  const steps = plan.steps.filter((step) => step.kind !== "retire" || !step.again);
  return steps.length === 0 ? undefined : { ...plan, steps };
}

/**
 * The applied state as it would be observed, in tables that cannot be read: there only fixed chains that do not exist and
 * jumps that are missing differ.
 */
function asFarAsReadable(applied: KernelState, observed: Partial<KernelState>): KernelState {
  const tables = new Map(observed.tables);
  for (const table of observed.unreadable?.keys() ?? []) {
    const found = tables.get(table);
    const chains = new Map(wholeTable(applied, table));
    for (const { name, hold } of applied.tables.get(table)?.values() ?? []) {
      const chain = found?.get(name);
      if (!chain) chains.delete(name);
      else if (hold === "built-in") chains.set(name, chain);
    }
    tables.set(table, chains);
  }
  return { ...applied, ...observed, tables };
}

interface ItemSearch {
  readonly held: KernelState;
  /** The attempt that had things refused. */
  readonly first: AttemptResult;
  readonly items: ItemRefusal[];
}
