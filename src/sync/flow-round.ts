// Deletes stale UDP conntrack entries after a sync, as kube-proxy's conntrack cleanup does.
import { KernelError } from "../errors.ts";
import type { Kernel } from "../kernel/kernel.ts";
import {
  allDestinations,
  bothTraffics,
  endpointsAt,
  isDifferentTraffic,
  NO_UDP_TRAFFIC,
  nodePortAddressTest,
  type UdpDestination,
  type UdpTraffic,
  udpTrafficOf,
} from "../model/udp-traffic.ts";
import type { KnownWorld } from "../model/world.ts";
import type { Family } from "../net/family.ts";
import { staleFlows } from "../plan/flows.ts";
import type { NodeFacts } from "../state/node-facts.ts";
import type { UdpFlow } from "../state/udp-flow.ts";
import type { Log } from "./log.ts";
import type { FlowReport } from "./observer.ts";
import type { Clock } from "./schedule.ts";

/** Up to this number of destinations each is listed with a kernel filter; for more, one dump lists all UDP entries. */
const FEW = 8;

/** Verbosity at which each deleted flow is said. */
const EACH_FLOW = 6;

export interface FlowRoundInput {
  readonly family: Family;
  readonly kernel: Pick<Kernel, "flows" | "deleteFlows">;
  readonly clock: Clock;
  readonly log: Log;
}

/** What a round goes by: the World whose rules are in the kernel, and the node's addresses as they were read for it. */
export interface AppliedWorld {
  readonly world: KnownWorld;
  readonly addresses: NodeFacts["addresses"];
}

/**
 * Runs after each successful sync. Any change of a UDP destination or its endpoints has all UDP destinations checked, as
 * in kube-proxy, and so does a sync that restored rules: clients that sent meanwhile have entries that bypass the rules.
 * Unlike kube-proxy's, it also covers Services that changed without their endpoints, deleted ones and those that lost
 * their last endpoint among them, and a failed cleanup is repeated. Destinations that an earlier process applied are not
 * known: entries of Services deleted meanwhile stay.
 */
export class FlowRound {
  readonly #input: FlowRoundInput;
  /** Of the World that was seen last, applied or not. */
  #seen: UdpTraffic = NO_UDP_TRAFFIC;
  /** Of the World whose rules are in the kernel. */
  #now: UdpTraffic = NO_UDP_TRAFFIC;
  /** Everything applied since the last complete cleanup, and what was applied at that time. */
  #before: UdpTraffic = NO_UDP_TRAFFIC;
  /** A cleanup that is due did not complete. */
  #owed = false;

  constructor(input: FlowRoundInput) {
    this.#input = input;
  }

  /** Whether entries have to be checked once this World is applied, even where it changes no rule. */
  isNeeded(world: KnownWorld): boolean {
    return this.#owed || isDifferentTraffic(this.#see(world), this.#before);
  }

  /**
   * To be called after a successful sync; `restored`: it wrote rules that other software had changed. Returns undefined
   * where there was nothing to check, or the check did not complete.
   */
  async run({ world, addresses }: AppliedWorld, restored = false): Promise<FlowReport | undefined> {
    this.#now = this.#see(world);
    const isDue = this.#owed || restored || isDifferentTraffic(this.#now, this.#before);
    const destinations = isDue ? allDestinations(this.#now, this.#before) : [];
    if (destinations.length === 0) {
      this.#before = this.#now;
      return undefined;
    }
    const begin = this.#input.clock.now();
    const deleted = await this.#deleteStale(destinations, nodePortAddressTest(world, addresses));
    this.#owed = deleted === undefined;
    this.#before = this.#owed ? bothTraffics(this.#before, this.#now) : this.#now;
    return deleted === undefined ? undefined : { elapsed: this.#input.clock.now() - begin, deleted };
  }

  #see(world: KnownWorld): UdpTraffic {
    this.#seen = udpTrafficOf(world, this.#seen);
    return this.#seen;
  }

  /** Returns the number of deleted entries; undefined where not all could be read and deleted. */
  async #deleteStale(
    destinations: readonly UdpDestination[],
    isNodePortAddress: (address: string) => boolean,
  ): Promise<number | undefined> {
    const { kernel, family, log } = this.#input;
    const at = (traffic: UdpTraffic) => (end: UdpFlow["destination"]) => endpointsAt(traffic, end, isNodePortAddress);
    try {
      const { flows, whole } = await kernel.flows(family, destinations.length > FEW ? "all" : destinations);
      const stale = staleFlows(flows, { now: at(this.#now), before: at(this.#before) });
      const deleted = stale.length === 0 ? 0 : await kernel.deleteFlows(stale);
      this.#say(stale);
      return whole ? deleted : undefined;
    } catch (error) {
      if (!(error instanceof KernelError)) throw error;
      const fields = { ipFamily: family, code: error.refusal.code, err: error.message };
      log.error(fields, "Cannot delete stale UDP conntrack entries; retrying after the next sync");
      return undefined;
    }
  }

  #say(stale: readonly UdpFlow[]): void {
    const { log, family } = this.#input;
    if (!log.says(EACH_FLOW)) return;
    for (const { client, destination, server } of stale) {
      const fields = { ipFamily: family, client: client.text, destination: destination.text, server: server.text };
      log.debug(EACH_FLOW, fields, "Deleted stale UDP conntrack entry");
    }
  }
}
