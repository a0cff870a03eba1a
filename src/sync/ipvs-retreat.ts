// Teardown of what a previous proxy mode left beside rules: virtual servers, addresses, the interface and sets.
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

/** Milliseconds between two looks at connections, and until the first retry of what the kernel does not remove. */
const PAUSE = 10_000;

/** Milliseconds between two retries at most; each is twice as long as the one before. */
const LONGEST_PAUSE = 300_000;

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
 * Begins when the rules of every family are in, so that no new connection needs the rest, and ends when nothing is left.
 * What the kernel does not remove holds up nothing else, is logged once, and is tried again at growing intervals.
 */
export class IpvsRetreat {
  readonly #input: IpvsRetreatInput;
  readonly #pending: Set<Family>;
  #began = 0;
  #cancel: () => void = () => {};
  #running: Promise<void> = Promise.resolve();
  #said = "";
  /** Turns in a row that left the same things because the kernel did not remove them. */
  #failures = 0;
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
    this.#running = this.#step().then((pause) => {
      if (pause !== undefined && !this.#stopped) this.#cancel = this.#input.clock.after(pause, () => this.#turn());
    });
  }

  /** Milliseconds until the next turn; undefined when nothing is left. */
  async #step(): Promise<number | undefined> {
    const { clock, log } = this.#input;
    const errors: KernelError[] = [];
    try {
      const waiting = await this.#clear(clock.now() - this.#began >= LONGEST_WAIT, errors);
      // The sets of node ports tell which virtual servers are ours, so they go last.
      if (waiting.length === 0 && errors.length === 0) await this.#finish(errors);
      if (errors.length === 0) return this.#sayProgress(waiting);
    } catch (error) {
      if (!(error instanceof KernelError)) throw error;
      errors.push(error);
    }
    const left = errors.map(({ message }) => message).join("; ");
    this.#failures = left === this.#said ? this.#failures + 1 : 0;
    if (left !== this.#said) {
      log.error({ err: left }, "Cannot remove what the previous proxy mode left; retrying at growing intervals");
    }
    this.#said = left;
    return Math.min(PAUSE * 2 ** this.#failures, LONGEST_PAUSE);
  }

  /** Removes what has no connections; the answer is what has some. */
  async #clear(all: boolean, errors: KernelError[]): Promise<readonly string[]> {
    const waiting: string[] = [];
    for (const [family, sets] of this.#input.sets) {
      const found = await this.#look(family, sets);
      const retreat = planRetreat(found, IPVS_DEVICE, all ? "all" : await this.#input.own.sources());
      // In the end it must go without, too.
      if (!all) await this.#moveFlows(family, retreat.datagrams);
      errors.push(...(await this.#clearFamily(retreat.steps)));
      waiting.push(...retreat.waiting);
    }
    return waiting;
  }

  /** While an address cannot be unbound, its virtual server stays: packets to it would reach the node's own programs. */
  async #clearFamily(steps: readonly IpvsStep[]): Promise<readonly KernelError[]> {
    for (const step of steps) {
      const { errors, rejected } = await this.#carryOut(step);
      const unbound = step.kind === "unbind" ? step.addresses.filter((address) => !rejected.has(address)) : [];
      if (unbound.length > 0) await this.#input.own.gone(unbound);
      if (errors.length > 0) return errors;
    }
    return [];
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

  async #finish(errors: KernelError[]): Promise<void> {
    for (const [family, sets] of this.#input.sets) {
      for (const step of lastSteps(await this.#look(family, sets), IPVS_DEVICE)) {
        errors.push(...(await this.#carryOut(step)).errors);
      }
    }
  }

  #look(family: Family, sets: readonly string[]): Promise<Extract<IpvsState, { kind: "observed" }>> {
    return this.#input.kernel.ipvs(family, { sets, device: this.#input.device });
  }

  async #carryOut(step: IpvsStep) {
    const { refused, items } = await this.#input.kernel.apply({ steps: [step], kept: [] });
    const errors = [...(refused ? [refused.error] : []), ...items.map(({ error }) => error)];
    return { errors, rejected: new Set(items.map(({ key }) => key)) };
  }

  #sayProgress(waiting: readonly string[]): number | undefined {
    const { log } = this.#input;
    const what = waiting.join(" ");
    if (what !== "" && what !== this.#said) {
      log.info({ waiting: what }, "Waiting for connections through virtual servers and addresses of IPVS mode to end");
    }
    this.#said = what;
    if (what !== "") return PAUSE;
    log.info({}, "Nothing of another mode is left");
    return undefined;
  }
}
