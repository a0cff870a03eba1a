// Syncs one IP family from start to stop: desired state, changes, verification, UDP conntrack entries.
import { isDeepStrictEqual } from "node:util";
import type { Node, Snapshot } from "../api/objects.ts";
import { KernelError, RuleSyntaxError } from "../errors.ts";
import { serviceHealthOf } from "../model/service-health.ts";
import { withoutLocalEndpoints } from "../model/without-local-endpoints.ts";
import { type KnownWorld, type WorldInput, worldOf } from "../model/world.ts";
import type { Family } from "../net/family.ts";
import type { Options } from "../options/options.ts";
import type { Change } from "../source/source.ts";
import { type Counters, type NodeFacts, variantOf } from "../state/node-facts.ts";
import { type AppliedWorld, FlowRound } from "./flow-round.ts";
import { Keeper, refusalIn } from "./keeper.ts";
import type { Log } from "./log.ts";
import type { Observer, PassReport } from "./observer.ts";
import type { Means } from "./pass.ts";
import { PassLog } from "./pass-log.ts";
import { blindReport, type Circumstances, reportOf } from "./pass-report.ts";
import { type Clock, Schedule } from "./schedule.ts";
import { TriggerTimes } from "./trigger-times.ts";

/** The options that say what to write and when. */
export type LoopOptions = WorldInput["options"] & Pick<Options, "syncPeriod" | "minSyncPeriod">;

/** All that a loop needs; the same for both families but for `family`. */
export interface LoopInput extends Pick<Means, "kernel" | "backend"> {
  readonly family: Family;
  readonly nodeName: string;
  readonly options: LoopOptions;
  readonly facts: NodeFacts;
  readonly clock: Clock;
  readonly log: (at: string) => Log;
  readonly observer: Observer;
  /** Milliseconds since 1970 at which the daemon began. */
  readonly since: number;
}

/** nfacct counters by what they count. */
const COUNTERS: ReadonlyMap<string, keyof Counters> = new Map([
  ["ct_state_invalid_dropped_pkts", "invalidDropped"],
  ["localhost_nps_accepted_pkts", "localhostNodePorts"],
]);

/**
 * Keeps the kernel as the newest snapshot wants it: a sync at once when something derived changed, one each sync period,
 * one after each failure, and one when a verification in the background found that other software changed our rules.
 */
export class FamilyLoop {
  readonly #input: LoopInput;
  readonly #schedule: Schedule;
  readonly #keeper: Keeper;
  readonly #passLog: PassLog;
  readonly #flows: FlowRound;
  readonly #triggers: TriggerTimes;
  #facts: NodeFacts;
  #snapshot: Snapshot | undefined;
  /** Addresses and pod ranges as they were first seen; only the zone is followed afterwards. */
  #node: Node | undefined;
  #world: KnownWorld | undefined;
  /** A pass was asked for that has not begun. */
  #queued = false;
  #cancel: () => void = () => {};
  /** What the last pass went by. */
  #kept: AppliedWorld | undefined;
  /** Rules were restored since UDP conntrack entries were last checked. */
  #restored = false;
  #verifying = false;
  #stopped = false;
  #cancelVerification: () => void = () => {};

  constructor(input: LoopInput) {
    this.#input = input;
    this.#facts = input.facts;
    const { kernel, backend, clock, family, observer, options } = input;
    const { syncPeriod, minSyncPeriod } = options;
    const periods = { least: minSyncPeriod, retry: syncPeriod, full: syncPeriod };
    this.#schedule = new Schedule(() => this.#run(), periods, clock);
    this.#passLog = new PassLog({ family, mode: backend.mode, clock, log: input.log("pass.ts") });
    this.#flows = new FlowRound({ family, kernel, clock, log: input.log("flow-round.ts") });
    this.#triggers = new TriggerTimes(family, input.since);
    const progressed: Means["progressed"] = (progress) => {
      this.#passLog.progressed(progress);
      observer.progressed(family, progress);
    };
    const means = { kernel, backend, variant: variantOf(input.facts, family), progressed };
    this.#keeper = new Keeper(means, { clock, syncPeriod, minSyncPeriod });
    observer.began(family);
  }

  /**
   * Objects that arrived, and what became of them. Nothing is started where nothing derived from them changed; while a
   * pass waits for its turn that is not even looked at, for the pass works out what all of them mean together.
   */
  update(snapshot: Snapshot, changes: readonly Change[] = []): void {
    this.#snapshot = snapshot;
    if (!this.#queued && !this.#wantsOther()) return;
    this.#triggers.note(changes);
    this.#input.observer.queued(this.#input.family);
    this.#queued = true;
    this.#schedule.request();
  }

  /** Whether other software changed our rules; rejects with KernelError or RuleSyntaxError when they cannot be read. */
  rulesMoved(): Promise<boolean> {
    return this.#keeper.rulesMoved();
  }

  /** Has the kernel observed by a sync, as soon as there is anything desired. */
  observe(): void {
    if (!this.#world) return;
    this.#keeper.suspect();
    this.#schedule.request();
  }

  /** Ends the loop when the pass that may be running is over. The kernel keeps what it holds. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelVerification();
    await this.#schedule.stop();
    this.#cancel();
  }

  #wantsOther(): boolean {
    const before = this.#world;
    const world = this.#derive();
    return !before || !wantsTheSame(world, before) || this.#flows.isNeeded(world);
  }

  async #run(): Promise<boolean> {
    const { clock, observer, family } = this.#input;
    const begin = clock.now();
    this.#queued = false;
    const triggers = this.#triggers.take();
    const report = await this.#pass(triggers).catch((error: unknown) => {
      if (!(error instanceof KernelError || error instanceof RuleSyntaxError)) throw error;
      this.#keeper.forget();
      this.#passLog.blind(error);
      return blindReport(clock.now() - begin, error, this.#circumstances(triggers));
    });
    observer.passed(family, report);
    this.#cancel();
    if (report.failure) {
      this.#triggers.giveBack(triggers);
      return false;
    }
    this.#lookAgain();
    this.#verifyWhenDue();
    await this.#flushFlows();
    return true;
  }

  #verifyWhenDue(): void {
    if (this.#verifying || this.#stopped) return;
    this.#cancelVerification();
    this.#cancelVerification = this.#input.clock.after(this.#keeper.nextVerification, () => this.#verify());
  }

  async #verify(): Promise<void> {
    this.#verifying = true;
    const isSyncNeeded = await this.#keeper.verify();
    this.#verifying = false;
    if (isSyncNeeded) this.#schedule.request();
    else this.#verifyWhenDue();
  }

  /** Only now: an entry made while the old rules stand would stay wrong. */
  async #flushFlows(): Promise<void> {
    if (!this.#kept) return;
    const flushed = await this.#flows.run(this.#kept, this.#restored);
    this.#restored = false;
    if (flushed) this.#input.observer.flushed(this.#input.family, flushed);
  }

  /** At real servers whose connections are waited for; a pass that failed is tried again anyway. */
  #lookAgain(): void {
    const wait = this.#keeper.nextLook;
    if (wait === undefined) return;
    this.#cancel = this.#input.clock.after(wait, () => this.#schedule.request());
  }

  async #pass(triggers: readonly number[]): Promise<PassReport> {
    const { kernel, backend, options } = this.#input;
    this.#passLog.begin();
    // Addresses of Services answer on nodePorts only where a range says so, and they may be thousands.
    const addresses = await kernel.addresses(options.nodePortAddresses.length === 0 ? "node" : "all");
    if (!isDeepStrictEqual(addresses, this.#facts.addresses)) this.#facts = { ...this.#facts, addresses };
    const world = this.#derive();
    const kept = await this.#keeper.keep(backend.desired(world));
    this.#kept = { world, addresses };
    this.#restored ||= kept.restored;
    this.#passLog.end(kept, this.#keeper.held);
    const refused = refusalIn(kept)?.step;
    if (refused?.kind === "counter") this.#forgo(refused.name);
    return reportOf(kept, this.#circumstances(triggers));
  }

  /** What is wanted by the newest objects and facts. Passes are only asked for once there is something to want. */
  #derive(): KnownWorld {
    const snapshot = this.#snapshot;
    if (!snapshot) throw new Error("a pass before the first snapshot");
    const { nodeName, options, family } = this.#input;
    const present = snapshot.nodes.get(nodeName);
    if (present) this.#node = { ...(this.#node ?? present), zone: present.zone };
    const known = { ...(this.#world && { previous: this.#world }), ...(this.#node && { node: this.#node }) };
    this.#world = worldOf({ snapshot, nodeName, options, facts: this.#facts, family, ...known });
    return this.#world;
  }

  /** A counter that cannot be made is done without, at once; rules without it work as well. */
  #forgo(name: string): void {
    const which = COUNTERS.get(name);
    if (which) this.#facts = { ...this.#facts, counters: { ...this.#facts.counters, [which]: false } };
    this.#schedule.request();
  }

  #circumstances(triggers: readonly number[]): Circumstances {
    const { held, setAside, withheld } = this.#keeper;
    const world = this.#world ?? this.#derive();
    return {
      held,
      setAside,
      withheld,
      triggers,
      withoutLocalEndpoints: withoutLocalEndpoints(world),
      serviceHealth: serviceHealthOf(world),
    };
  }
}

function wantsTheSame(a: KnownWorld, b: KnownWorld): boolean {
  return a.services === b.services && a.settings === b.settings && a.nodePortAddresses === b.nodePortAddresses;
}
