// How is a node driven in this process, one change at a time, with the parts that the daemon is made of?

import type { Backend } from "../../src/backends/backend.ts";
import { openBackend } from "../../src/commands/backend.ts";
import { readConfiguration } from "../../src/commands/configuration.ts";
import { machine } from "../../src/kernel/kernel.ts";
import { type KnownWorld, type WorldInput, worldOf } from "../../src/model/world.ts";
import type { Change } from "../../src/source/source.ts";
import { Tracker } from "../../src/source/tracker.ts";
import { emptyState, type KernelState } from "../../src/state/kernel-state.ts";
import { Keeper, refusalIn } from "../../src/sync/keeper.ts";
import type { Means } from "../../src/sync/pass.ts";
import type { Clock } from "../../src/sync/schedule.ts";
import { POD_RANGE } from "./cluster.ts";
import { Meter, type Reading } from "./meter.ts";
import type { Layout } from "./subject.ts";

/** What one change cost. Times in milliseconds. */
export interface Cost extends Reading {
  /** From the change of the objects to the kernel's acknowledgement. */
  readonly elapsed: number;
  /** That part of it in which no program was waited for: ours alone. */
  readonly own: number;
  /** From the change to the end of the first restore. */
  readonly first: number;
  readonly before: KernelState;
  readonly after: KernelState;
}

/** A kernel that nobody touched. */
export const UNTOUCHED: KernelState = { ...emptyState("IPv4"), observed: true };

/** Milliseconds: as the daemon has it by default. */
const SYNC_PERIOD = 30_000;

/** A node whose tracker, model, mode and keeper are the daemon's own. */
export class BenchNode {
  readonly means: Means;
  readonly #meter: Meter;
  readonly #input: Omit<WorldInput, "snapshot">;
  readonly #tracker = new Tracker([]);
  #keeper: Keeper;
  #world: KnownWorld | undefined;
  #held = UNTOUCHED;
  #skipped = 0;

  private constructor(means: Means, meter: Meter, input: Omit<WorldInput, "snapshot">) {
    this.means = means;
    this.#meter = meter;
    this.#input = input;
    this.#keeper = this.#newKeeper();
  }

  /** A node over the kernel as this process sees it, with default options. */
  static async make(mode: Backend["mode"] = "iptables", layout: Layout = "Compat"): Promise<BenchNode> {
    const meter = new Meter();
    const kernel = machine(meter.run);
    const backend = await openBackend({ mode, iptablesLayout: layout });
    const flags: [string, readonly [string]][] = [
      ["cluster-cidr", [POD_RANGE]],
      ["proxy-mode", [mode]],
      ["iptables-layout", [layout]],
    ];
    const { options } = await readConfiguration(new Map(flags));
    // Counters are objects of their own, which a bare restore in another network would not find.
    const counters = { invalidDropped: false, localhostNodePorts: false };
    const facts = { ...(await kernel.facts()), counters };
    const means = { kernel, backend, variant: facts.iptablesVariant };
    return new BenchNode(means, meter, { nodeName: "bench", options, facts, family: "IPv4" });
  }

  /** Applies a change. Rejects when the kernel refuses anything. */
  async apply(changes: readonly Change[]): Promise<Cost> {
    this.#meter.reset();
    const before = this.#held;
    const start = performance.now();
    const after = this.want(changes);
    await this.#keep(after);
    const elapsed = performance.now() - start;
    const reading = this.#meter.read();
    const own = elapsed - reading.waited + reading.writing;
    return { ...reading, elapsed, own, first: (reading.firstChange ?? start) - start, before, after };
  }

  /** What the kernel should hold after a change, without a word to the kernel. */
  want(changes: readonly Change[]): KernelState {
    this.#tracker.apply(changes);
    const snapshot = this.#tracker.snapshot();
    if (!snapshot) throw new Error("the objects are not complete");
    this.#world = worldOf({ ...this.#input, snapshot, ...(this.#world && { previous: this.#world }) });
    return this.means.backend.desired(this.#world);
  }

  /** Lets a sync period go by, so that the next change finds it is time to look whether anybody else was there. */
  letPeriodPass(): void {
    this.#skipped += SYNC_PERIOD;
  }

  /** Forgets what a process forgets that ends and is started again. */
  restart(): void {
    this.#keeper = this.#newKeeper();
  }

  async #keep(wanted: KernelState): Promise<void> {
    const kept = await this.#keeper.keep(wanted);
    const refused = refusalIn(kept);
    if (refused) throw refused.error;
    if (kept.drift || kept.rejected.length > 0)
      throw new Error("somebody else changed the kernel, or it refused rules");
    this.#held = wanted;
  }

  #newKeeper(): Keeper {
    // For the keeper no time passes by itself: how long the repeats take must not decide what is measured.
    const clock: Clock = { now: () => this.#skipped, after: () => () => {} };
    return new Keeper(this.means, { clock, syncPeriod: SYNC_PERIOD });
  }
}
