// Walks a packet through IPVS at one of the two hooks where it accepts new connections.

import { PROTOCOL_NUMBERS } from "../../net/protocol.ts";
import { printIdentity, type RealServer, type VirtualServer } from "../../state/virtual-server.ts";
import { hostAddress, type PacketState, printHostPort, withChanges } from "../packet.ts";
import { ALWAYS, type Fraction, fraction, times } from "../probability.ts";
import type { Ruleset } from "../ruleset.ts";
import type { ServerLocation } from "../trace.ts";
import { type Branch, Branches, type Recorder } from "./branches.ts";

interface Choice {
  /** Undefined: a real server that accepts no new connections is chosen, so the client is rejected. */
  readonly server: RealServer | undefined;
  /** A placeholder where `possible` is set. */
  readonly probability: Fraction;
  readonly possible: boolean;
}

/** Flag 1 of `sh` and `mh`: a client whose real server takes no new connections gets another one. */
const FALLBACK = 0x8;

/**
 * All that take new connections, which one of weight 0 does not. `rr` gives them in turn and `wrr` by their weights;
 * `fo` takes the one with the greatest weight; with every other scheduler connections that are open, or a hash of
 * addresses, decide. A hash may lead to one of weight 0.
 */
function chooseRealServer(virtual: VirtualServer): readonly Choice[] {
  const { scheduler, realServers } = virtual;
  const all = realServers.filter(({ weight }) => weight > 0);
  const one = scheduler === "fo" ? withLargestWeight(all) : all;
  const refuses = one.length === 0 || (mayReject(virtual) && one.length < realServers.length);
  const choices = refuses ? [...one, undefined] : one;
  if (choices.length === 1) return choices.map((server) => ({ server, probability: ALWAYS, possible: false }));
  const sum = one.reduce((total, { weight }) => total + weight, 0);
  return choices.map((server) => ({
    server,
    probability: scheduler === "wrr" && server ? fraction(server.weight, sum) : fraction(1, choices.length),
    possible: scheduler !== "rr" && scheduler !== "wrr",
  }));
}

/**
 * A hash of `mh` keeps the place of a real server that had another weight before, which is not to be seen from
 * outside.
 */
function mayReject({ scheduler, schedulerFlags }: VirtualServer): boolean {
  return scheduler === "dh" || ((scheduler === "sh" || scheduler === "mh") && (schedulerFlags & FALLBACK) === 0);
}

/** Of several with the same weight the order in the kernel decides, which is not to be seen from outside. */
function withLargestWeight(servers: readonly RealServer[]): readonly RealServer[] {
  const most = Math.max(...servers.map(({ weight }) => weight));
  return servers.filter(({ weight }) => weight === most);
}

/** Branches that a virtual server forwards, and those that IPVS ignores. */
export interface IpvsResult {
  readonly forwarded: Branches;
  readonly passed: Branches;
}

interface Visit {
  readonly ruleset: Ruleset;
  readonly protocol: number;
  readonly hook: "INPUT" | "OUTPUT";
  readonly recorder: Recorder;
}

export function walkVirtualServers(visit: Visit, branches: Branches): IpvsResult {
  const result = { forwarded: new Branches(), passed: new Branches() };
  for (const branch of branches) {
    const server = findServer(visit, branch.state);
    if (server === undefined) result.passed.add(branch);
    else applyServer(visit, server, { branch, taken: result.forwarded });
  }
  return result;
}

/** IPVS handles a packet once. A virtual server with port 0 handles ports without a virtual server of their own. */
function findServer({ ruleset, protocol }: Visit, state: PacketState): VirtualServer | undefined {
  if (state.server !== undefined) return undefined;
  const own = ruleset.servers.filter(({ address, protocol: name }) => {
    return address === state.destination.text && PROTOCOL_NUMBERS[name] === protocol;
  });
  return own.find(({ port }) => port === state.destinationPort) ?? own.find(({ port }) => port === 0);
}

function applyServer(
  visit: Visit,
  server: VirtualServer,
  { branch, taken }: { readonly branch: Branch; readonly taken: Branches },
): void {
  const { hook, recorder } = visit;
  const { address, protocol, port } = server;
  const at: ServerLocation = { hook, server: { address, protocol, port } };
  for (const { server: real, probability, possible } of chooseRealServer(server)) {
    const one = {
      ...branch,
      probability: times(branch.probability, probability),
      possible: branch.possible || possible,
    };
    if (real === undefined) {
      recorder.recordOutcome(recorder.recordStep(one, at, describeRefusal(server)), { kind: "refused", by: at });
      continue;
    }
    const stays = server.persistence > 0 ? `; persistence ${server.persistence} s` : "";
    // A virtual server with port 0 keeps the port.
    const realPort = port === 0 ? branch.state.destinationPort : real.port;
    const what = `destination becomes ${printHostPort(real.address, realPort)} (${server.scheduler})${stays}`;
    if (real.method !== "masquerade" && real.method !== "local") {
      recorder.recordOutcome(one, {
        kind: "unknown",
        by: at,
        reason: `forwards it to ${real.address} without translation (${real.method}), which is not traced`,
      });
      continue;
    }
    const state = withChanges(branch.state, {
      destination: hostAddress(real.address),
      destinationPort: realPort,
      tracked: branch.state.tracked && visit.ruleset.ipvsTracked,
      server: { address, protocol, port, method: real.method },
    });
    taken.add({ ...recorder.recordStep(one, at, what), state, reasons: { ...branch.reasons, translated: at } });
  }
}

function describeRefusal(server: VirtualServer): string {
  const { scheduler, realServers } = server;
  if (realServers.every(({ weight }) => weight === 0)) {
    return `${printIdentity(server)} has no real server that accepts connections`;
  }
  return `${printIdentity(server)} sends some clients to a real server that accepts no connections (${scheduler})`;
}
