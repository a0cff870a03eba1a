// What does the daemon do for one IP family, from start to stop?
import { isDeepStrictEqual } from "node:util";
import type { Node, Snapshot } from "../api/objects.ts";
import { KernelError, RuleSyntaxError } from "../errors.ts";
import { type KnownWorld, type WorldInput, worldOf } from "../model/world.ts";
import type { Family } from "../net/family.ts";
import type { Options } from "../options/options.ts";
import type { KernelState } from "../state/kernel-state.ts";
import type { Counters, NodeFacts } from "../state/node-facts.ts";
import { Keeper } from "./keeper.ts";
import type { Log } from "./log.ts";
import type { Means } from "./pass.ts";
import { type Clock, Schedule } from "./schedule.ts";

/** The options that say what to write and when. */
export type LoopOptions = WorldInput["options"] & Pick<Options, "syncPeriod" | "minSyncPeriod">;

/** All that a loop needs; the same for both families but for `family`. */
export interface LoopInput extends Omit<Means, "variant"> {
  readonly family: Family;
  readonly nodeName: string;
  readonly options: LoopOptions;
  readonly facts: NodeFacts;
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
  readonly #keeper: Keeper;
  #facts: NodeFacts;
  #snapshot: Snapshot | undefined;
  /** Addresses and pod ranges as they were first seen; only the zone is followed afterwards. */
  #node: Node | undefined;
  #world: KnownWorld | undefined;

  constructor(input: LoopInput) {
    this.#input = input;
    this.#facts = input.facts;
    const { syncPeriod, minSyncPeriod } = input.options;
    const periods = { least: minSyncPeriod, retry: syncPeriod, full: syncPeriod };
    this.#schedule = new Schedule(() => this.#run(), periods, input.clock);
    const { clock, log, family } = input;
    this.#keeper = new Keeper({ ...input, variant: input.facts.iptablesVariant }, { clock, log, family, syncPeriod });
  }

  /** The objects as they stand now. Nothing is started where nothing derived from them changed. */
  update(snapshot: Snapshot): void {
    const before = this.#world;
    const world = this.#worldOf(snapshot);
    this.#snapshot = snapshot;
    this.#world = world;
    if (!before || !wantsTheSame(world, before)) this.#schedule.request();
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
    const { kernel, log, family } = this.#input;
    try {
      const addresses = await kernel.addresses();
      if (!isDeepStrictEqual(addresses, this.#facts.addresses)) this.#learn({ addresses });
      return await this.#keep();
    } catch (error) {
      if (!(error instanceof KernelError || error instanceof RuleSyntaxError)) throw error;
      this.#keeper.forget();
      log.error({ ipFamily: family, err: error.message }, "Cannot read the kernel's rules; retrying");
      return false;
    }
  }

  /** Facts that are another now change what is wanted of the same objects. */
  #learn(facts: Partial<NodeFacts>): void {
    this.#facts = { ...this.#facts, ...facts };
    if (this.#snapshot) this.#world = this.#worldOf(this.#snapshot);
  }

  async #keep(): Promise<boolean> {
    if (!this.#world) return true;
    const wanted: KernelState = this.#input.backend.desired(this.#world);
    const refused = await this.#keeper.keep(wanted);
    if (refused?.kind === "counter") this.#forgo(refused.name);
    return refused === undefined;
  }

  /** A counter that cannot be made is done without, at once; rules without it work as well. */
  #forgo(name: string): void {
    const which = COUNTERS.get(name);
    if (which) this.#learn({ counters: { ...this.#facts.counters, [which]: false } });
    this.#schedule.request();
  }
}

function wantsTheSame(a: KnownWorld, b: KnownWorld): boolean {
  return a.services === b.services && a.settings === b.settings && a.nodePortAddresses === b.nodePortAddresses;
}
