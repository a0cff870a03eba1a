// When does what another mode left beside rules go, on a node that is served without it now?
import { KernelError } from "../errors.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { hostPort } from "../net/address.ts";
import type { Family } from "../net/family.ts";
import { lastSteps, planRetreat } from "../plan/ipvs-retreat.ts";
import type { IpvsStep } from "../plan/plan.ts";
import type { IpvsState } from "../state/kernel-state.ts";
import { IPVS_DEVICE } from "../state/node-facts.ts";
import type { ServerIdentity } from "../state/virtual-server.ts";
import type { Log } from "./log.ts";
import type { Clock } from "./schedule.ts";

/** Milliseconds between two looks at connections. */
const PAUSE = 10_000;

/** Milliseconds that connections are waited for: the kernel itself forgets an idle one after as long. */
export const LONGEST_WAIT = 900_000;

/** Flows to so many virtual servers are searched one by one; for more, all UDP flows are read once. */
const FEW = 8;

/** Those that the node itself makes. */
export interface OwnConnections {
  /** The addresses that they have. */
  sources(): Promise<ReadonlySet<string>>;
  /** These addresses are gone, and what was done so that new connections do not have them can be undone. */
  gone(addresses: readonly string[]): Promise<void>;
}

export interface IpvsRetreatInput {
  readonly kernel: Pick<Kernel, "ipvs" | "apply" | "flows" | "deleteFlows">;
  readonly own: OwnConnections;
  /** Names of the sets of each family that is served. */
  readonly sets: ReadonlyMap<Family, readonly string[]>;
  /** The interface of IPVS mode; absent: only sets are left. */
  readonly device: string | undefined;
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
      log.info({}, "Nothing of another mode is left");
      return true;
    } catch (error) {
      if (!(error instanceof KernelError)) throw error;
      log.error(
        { code: error.refusal.code, err: error.message },
        "What another mode left cannot be taken away; trying again",
      );
      return false;
    }
  }

  /** Takes away what has no connections, and tells what has. */
  async #clear(all: boolean): Promise<readonly string[]> {
    const waiting: string[] = [];
    for (const [family, sets] of this.#input.sets) {
      const found = await this.#look(family, sets);
      const retreat = planRetreat(found, IPVS_DEVICE, all ? "all" : await this.#input.own.sources());
      // In the end it must go without, too.
      if (!all) await this.#moveFlows(family, retreat.datagrams);
      await this.#carryOut(retreat.steps);
      const unbound = retreat.steps.flatMap((step) => (step.kind === "unbind" ? step.addresses : []));
      if (unbound.length > 0) await this.#input.own.gone(unbound);
      waiting.push(...retreat.waiting);
    }
    return waiting;
  }

  /** Their next packets are the first of new flows. */
  async #moveFlows(family: Family, servers: readonly ServerIdentity[]): Promise<void> {
    if (servers.length === 0) return;
    const { kernel } = this.#input;
    const { flows } = await kernel.flows(family, servers.length > FEW ? "all" : servers);
    const places = new Set(servers.map(({ address, port }) => hostPort(address, port)));
    const old = flows.filter(({ destination }) => places.has(destination.text));
    if (old.length > 0) await kernel.deleteFlows(old);
  }

  async #finish(): Promise<void> {
    for (const [family, sets] of this.#input.sets) {
      await this.#carryOut(lastSteps(await this.#look(family, sets), IPVS_DEVICE));
    }
  }

  #look(family: Family, sets: readonly string[]): Promise<Extract<IpvsState, { kind: "observed" }>> {
    return this.#input.kernel.ipvs(family, { sets, device: this.#input.device });
  }

  async #carryOut(steps: readonly IpvsStep[]): Promise<void> {
    const { refused, items } = await this.#input.kernel.apply({ steps, kept: [] });
    const error = refused?.error ?? items[0]?.error;
    if (error) throw error;
  }

  #say(waiting: readonly string[]): void {
    const what = waiting.join(" ");
    if (what === this.#said) return;
    this.#said = what;
    this.#input.log.info(
      { waiting: what },
      "Connections through virtual servers and addresses of IPVS mode are waited for",
    );
  }
}
