// When does what an earlier IPVS mode left go, on a node that iptables mode serves now?
import { KernelError } from "../errors.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Family } from "../net/family.ts";
import { lastSteps, planRetreat } from "../plan/ipvs-retreat.ts";
import type { IpvsStep } from "../plan/plan.ts";
import type { IpvsState } from "../state/kernel-state.ts";
import { IPVS_DEVICE } from "../state/node-facts.ts";
import type { Log } from "./log.ts";
import type { Clock } from "./schedule.ts";

/** Milliseconds between two looks at connections. */
const PAUSE = 10_000;

/** Milliseconds that connections are waited for: the kernel itself forgets an idle one after as long. */
export const LONGEST_WAIT = 900_000;

export interface IpvsRetreatInput {
  readonly kernel: Pick<Kernel, "ipvs" | "apply">;
  /** Names of the sets of each family that is served. */
  readonly sets: ReadonlyMap<Family, readonly string[]>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Begins when the rules of every family are in, so that no new connection needs it any more, and ends when nothing is
 * left. What cannot be done is tried again at the next look.
 */
export class IpvsRetreat {
  readonly #input: IpvsRetreatInput;
  readonly #pending: Set<Family>;
  #began = 0;
  #cancel: () => void = () => {};
  #running: Promise<void> = Promise.resolve();
  #said = "";
  #stopped = false;

  constructor(input: IpvsRetreatInput) {
    this.#input = input;
    this.#pending = new Set(input.sets.keys());
  }

  /** The rules of a family are in. */
  served(family: Family): void {
    if (!this.#pending.delete(family) || this.#pending.size > 0) return;
    this.#began = this.#input.clock.now();
    this.#turn();
  }

  /** Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    await this.#running;
  }

  #turn(): void {
    this.#running = this.#step().then((done) => {
      if (!done && !this.#stopped) this.#cancel = this.#input.clock.after(PAUSE, () => this.#turn());
    });
  }

  async #step(): Promise<boolean> {
    const { clock, log } = this.#input;
    try {
      const waiting = await this.#clear(clock.now() - this.#began >= LONGEST_WAIT);
      if (waiting.length > 0) {
        this.#say(waiting);
        return false;
      }
      await this.#finish();
      log.info({}, "Nothing of IPVS mode is left");
      return true;
    } catch (error) {
      if (!(error instanceof KernelError)) throw error;
      log.error(
        { code: error.refusal.code, err: error.message },
        "What IPVS mode left cannot be taken away; trying again",
      );
      return false;
    }
  }

  /** Takes away what has no connections, and tells what has. */
  async #clear(all: boolean): Promise<readonly string[]> {
    const waiting: string[] = [];
    for (const family of this.#input.sets.keys()) {
      const retreat = planRetreat(await this.#look(family), IPVS_DEVICE, all);
      await this.#carryOut(retreat.steps);
      waiting.push(...retreat.waiting);
    }
    return waiting;
  }

  async #finish(): Promise<void> {
    for (const family of this.#input.sets.keys()) {
      await this.#carryOut(lastSteps(await this.#look(family), IPVS_DEVICE));
    }
  }

  async #look(family: Family): Promise<Extract<IpvsState, { kind: "observed" }>> {
    return this.#input.kernel.ipvs(family, { sets: this.#input.sets.get(family) ?? [], device: IPVS_DEVICE });
  }

  async #carryOut(steps: readonly IpvsStep[]): Promise<void> {
    const { refused, items } = await this.#input.kernel.apply({ steps, kept: [] });
    const error = refused?.error ?? items[0]?.error;
    if (error) throw error;
  }

  #say(waiting: readonly string[]): void {
    const servers = waiting.join(" ");
    if (servers === this.#said) return;
    this.#said = servers;
    this.#input.log.info({ servers }, "Connections through virtual servers of IPVS mode are waited for");
  }
}
