// What does the daemon do for one IP family, from start to stop?
import type { Node, Snapshot } from "../api/objects.ts";
import type { Backend } from "../backends/backend.ts";
import { KernelError, RuleSyntaxError } from "../errors.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { type KnownWorld, type WorldInput, worldOf } from "../model/world.ts";
import type { Family } from "../net/family.ts";
import type { Options } from "../options/options.ts";
import type { Counters, NodeFacts } from "../state/node-facts.ts";
import type { Log } from "./log.ts";
import { type PassResult, pass } from "./pass.ts";
import { type Clock, Schedule } from "./schedule.ts";

/** The options that say what to write and when. */
export type LoopOptions = WorldInput["options"] & Pick<Options, "syncPeriod" | "minSyncPeriod">;

/** All that a loop needs; the same for both families but for `family`. */
export interface LoopInput {
  readonly family: Family;
  readonly nodeName: string;
  readonly options: LoopOptions;
  readonly facts: NodeFacts;
  readonly backend: Backend;
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly log: Log;
}

/** nfacct counters by what they count. */
const COUNTERS: ReadonlyMap<string, keyof Counters> = new Map([
  ["ct_state_invalid_dropped_pkts", "invalidDropped"],
  ["localhost_nps_accepted_pkts", "localhostNodePorts"],
]);

/**
 * Keeps the kernel as the newest snapshot wants it: a pass at once when something derived changed, one each sync period
 * to see whether somebody else changed our rules, and one after each failure.
 */
export class FamilyLoop {
  readonly #input: LoopInput;
  readonly #schedule: Schedule;
  #facts: NodeFacts;
  #snapshot: Snapshot | undefined;
  /** Addresses and pod ranges as they were first seen; only the zone is followed afterwards. */
  #node: Node | undefined;
  #world: KnownWorld | undefined;
  /** The world that the kernel is known to hold. */
  #held: KnownWorld | undefined;
  #keptBefore = "";

  constructor(input: LoopInput) {
    this.#input = input;
    this.#facts = input.facts;
    const { syncPeriod, minSyncPeriod } = input.options;
    const periods = { least: minSyncPeriod, retry: syncPeriod, full: syncPeriod };
    this.#schedule = new Schedule(() => this.#run(), periods, input.clock);
  }

  /** The objects as they stand now. Nothing is started where nothing derived from them changed. */
  update(snapshot: Snapshot): void {
    this.#snapshot = snapshot;
    this.#world = this.#worldOf(snapshot);
    if (!this.#held || !wantsTheSame(this.#world, this.#held)) this.#schedule.request();
  }

  /** Ends the loop when the pass that may be running is over. The kernel keeps what it holds. */
  stop(): Promise<void> {
    return this.#schedule.stop();
  }

  #worldOf(snapshot: Snapshot): KnownWorld {
    const { nodeName, options, family } = this.#input;
    const present = snapshot.nodes.get(nodeName);
    if (present) this.#node = { ...(this.#node ?? present), zone: present.zone };
    const known = { ...(this.#world && { previous: this.#world }), ...(this.#node && { node: this.#node }) };
    return worldOf({ snapshot, nodeName, options, facts: this.#facts, family, ...known });
  }

  async #run(): Promise<boolean> {
    const { clock, log, family } = this.#input;
    const start = clock.now();
    try {
      const result = await this.#pass();
      return result === undefined || this.#report(result, clock.now() - start);
    } catch (error) {
      if (!(error instanceof KernelError || error instanceof RuleSyntaxError)) throw error;
      this.#held = undefined;
      log.error({ ipFamily: family, err: error.message }, "Cannot read the kernel's rules; retrying");
      return false;
    }
  }

  async #pass(): Promise<PassResult | undefined> {
    const { kernel, backend } = this.#input;
    if (!this.#snapshot) return undefined;
    this.#facts = { ...this.#facts, addresses: await kernel.addresses() };
    const world = this.#worldOf(this.#snapshot);
    this.#world = world;
    const result = await pass(kernel, backend, backend.desired(world));
    this.#held = result.applied.refused ? undefined : world;
    return result;
  }

  /** Says what was done; the answer is whether all went well. */
  #report({ plan, applied }: PassResult, milliseconds: number): boolean {
    const { family, log, backend } = this.#input;
    const fields = { ipFamily: family, mode: backend.mode, elapsed: `${Math.round(milliseconds)}ms` };
    this.#reportKept(plan.kept.map(({ table, chain, rule }) => `${table} ${chain} (${rule})`).join("; "));
    if (applied.refused) {
      const { step, error } = applied.refused;
      log.error(
        { ...fields, step: step.kind, code: error.refusal.code, err: error.message },
        "The kernel refused a change",
      );
      if (step.kind === "counter") this.#forgo(step.name);
      return false;
    }
    if (plan.steps.length > 0) log.info({ ...fields, steps: plan.steps.length }, "SyncProxyRules complete");
    return true;
  }

  #reportKept(kept: string): void {
    if (kept !== this.#keptBefore && kept !== "") {
      this.#input.log.warn(
        { ipFamily: this.#input.family, chains: kept },
        "Other software's rules lead into stale chains, which stay empty",
      );
    }
    this.#keptBefore = kept;
  }

  /** A counter that cannot be made is done without, at once; rules without it work as well. */
  #forgo(name: string): void {
    const which = COUNTERS.get(name);
    if (which) this.#facts = { ...this.#facts, counters: { ...this.#facts.counters, [which]: false } };
    this.#schedule.request();
  }
}

function wantsTheSame(a: KnownWorld, b: KnownWorld): boolean {
  return a.services === b.services && a.settings === b.settings && a.nodePortAddresses === b.nodePortAddresses;
}
