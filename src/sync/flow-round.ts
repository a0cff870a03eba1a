// Which UDP flows are deleted after a pass, and when is there any need to look?
import { KernelError } from "../errors.ts";
import type { Kernel } from "../kernel/kernel.ts";
import {
  bothDestinations,
  bothTraffics,
  endpointsAt,
  NO_UDP_TRAFFIC,
  nodePortAddressTest,
  suspectsOf,
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

/** So many destinations are searched one by one; for more, all UDP flows are read once. */
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
 * The second round of a pass. It differs from kube-proxy's in that Services that changed without their endpoints are
 * looked at too, deleted ones and those that lost their last endpoint among them, and in that a request outlives a
 * failure. What was applied by an earlier process is not known: flows to Services deleted meanwhile stay.
 */
export class FlowRound {
  readonly #input: FlowRoundInput;
  /** Of the World that was seen last, applied or not. */
  #seen: UdpTraffic = NO_UDP_TRAFFIC;
  /** Of the World whose rules are in the kernel. */
  #now: UdpTraffic = NO_UDP_TRAFFIC;
  /** What has been applied since flows were last looked at, and was applied then. */
  #before: UdpTraffic = NO_UDP_TRAFFIC;
  /** Destinations that could not be looked at. */
  #owed: readonly UdpDestination[] = [];

  constructor(input: FlowRoundInput) {
    this.#input = input;
  }

  /** Is there anything to look at, were this World applied? To be asked where a World changed no rule. */
  isNeeded(world: KnownWorld): boolean {
    return this.#suspects(this.#see(world)).length > 0;
  }

  /** To be called after a pass that went well. Undefined where there was nothing to look at, or it could not be done. */
  async run({ world, addresses }: AppliedWorld): Promise<FlowReport | undefined> {
    this.#now = this.#see(world);
    const suspects = this.#suspects(this.#now);
    if (suspects.length === 0) {
      this.#settle([]);
      return undefined;
    }
    const begin = this.#input.clock.now();
    const deleted = await this.#deleteStale(suspects, nodePortAddressTest(world, addresses));
    this.#settle(deleted === undefined ? suspects : []);
    return deleted === undefined ? undefined : { elapsed: this.#input.clock.now() - begin, deleted };
  }

  #see(world: KnownWorld): UdpTraffic {
    this.#seen = udpTrafficOf(world, this.#seen);
    return this.#seen;
  }

  #suspects(now: UdpTraffic): readonly UdpDestination[] {
    return bothDestinations(this.#owed, suspectsOf(now, this.#before));
  }

  #settle(owed: readonly UdpDestination[]): void {
    this.#before = owed.length === 0 ? this.#now : bothTraffics(this.#before, this.#now);
    this.#owed = owed;
  }

  /** How many were deleted; undefined where not all could be looked at and deleted. */
  async #deleteStale(
    suspects: readonly UdpDestination[],
    isNodePortAddress: (address: string) => boolean,
  ): Promise<number | undefined> {
    const { kernel, family, log } = this.#input;
    const at = (traffic: UdpTraffic) => (end: UdpFlow["destination"]) => endpointsAt(traffic, end, isNodePortAddress);
    try {
      const { flows, whole } = await kernel.flows(family, suspects.length > FEW ? "all" : suspects);
      const stale = staleFlows(flows, { now: at(this.#now), before: at(this.#before) });
      const deleted = stale.length === 0 ? 0 : await kernel.deleteFlows(stale);
      this.#say(stale);
      return whole ? deleted : undefined;
    } catch (error) {
      if (!(error instanceof KernelError)) throw error;
      const fields = { ipFamily: family, code: error.refusal.code, err: error.message };
      log.error(fields, "Stale UDP flows cannot be deleted; trying again after the next pass");
      return undefined;
    }
  }

  #say(stale: readonly UdpFlow[]): void {
    const { log, family } = this.#input;
    if (!log.says(EACH_FLOW)) return;
    for (const { client, destination, server } of stale) {
      const fields = { ipFamily: family, client: client.text, destination: destination.text, server: server.text };
      log.debug(EACH_FLOW, fields, "Deleted a stale UDP flow");
    }
  }
}
