// Walks a packet through IPVS at one of the two hooks where it accepts new connections.

import { PROTOCOL_NUMBERS } from "../../net/protocol.ts";
import { printIdentity, type RealServer, type VirtualServer } from "../../state/virtual-server.ts";
import { changed, hostAddress, type PacketState, printHostPort } from "../packet.ts";
import { ALWAYS, type Fraction, fraction, times } from "../probability.ts";
import type { Field } from "../ruleset.ts";
import type { ServerPlace } from "../trace.ts";
import { type Branch, Branches, type Recorder } from "./branches.ts";

interface Choice {
  /** Undefined: one that takes no new connections, so that the client is refused. */
  readonly server: RealServer | undefined;
  /** Where something other than turns decides, an equal share holds its place. */
  readonly share: Fraction;
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
  const one = scheduler === "fo" ? heaviest(all) : all;
  const refuses = one.length === 0 || (refusesSome(virtual) && one.length < realServers.length);
  const choices = refuses ? [...one, undefined] : one;
  if (choices.length === 1) return choices.map((server) => ({ server, share: ALWAYS, possible: false }));
  const sum = one.reduce((total, { weight }) => total + weight, 0);
  return choices.map((server) => ({
    server,
    share: scheduler === "wrr" && server ? fraction(server.weight, sum) : fraction(1, choices.length),
    possible: scheduler !== "rr" && scheduler !== "wrr",
  }));
}

/** A hash of `mh` keeps the place of a real server that had another weight before, which is not to be seen from outside. */
function refusesSome({ scheduler, schedulerFlags }: VirtualServer): boolean {
  return scheduler === "dh" || ((scheduler === "sh" || scheduler === "mh") && (schedulerFlags & FALLBACK) === 0);
}

/** Of several with the same weight the order in the kernel decides, which is not to be seen from outside. */
function heaviest(servers: readonly RealServer[]): readonly RealServer[] {
  const most = Math.max(...servers.map(({ weight }) => weight));
  return servers.filter(({ weight }) => weight === most);
}

/** Branches that a virtual server took, and those that IPVS lets be. */
export interface Served {
  readonly taken: Branches;
  readonly left: Branches;
}

interface Visit {
  readonly field: Field;
  readonly protocol: number;
  readonly hook: "INPUT" | "OUTPUT";
  readonly recorder: Recorder;
}

export function visitServers(visit: Visit, branches: Branches): Served {
  const served = { taken: new Branches(), left: new Branches() };
  for (const branch of branches) {
    const server = findServer(visit, branch.state);
    if (server === undefined) served.left.add(branch);
    else serve(visit, server, { branch, taken: served.taken });
  }
  return served;
}

/** A packet is served once. A virtual server with port 0 takes what no other one of its address does. */
function findServer({ field, protocol }: Visit, state: PacketState): VirtualServer | undefined {
  if (state.takenBy !== undefined) return undefined;
  const own = field.servers.filter(({ address, protocol: name }) => {
    return address === state.destination.text && PROTOCOL_NUMBERS[name] === protocol;
  });
  return own.find(({ port }) => port === state.destinationPort) ?? own.find(({ port }) => port === 0);
}

function serve(
  visit: Visit,
  server: VirtualServer,
  { branch, taken }: { readonly branch: Branch; readonly taken: Branches },
): void {
  const { hook, recorder } = visit;
  const { address, protocol, port } = server;
  const at: ServerPlace = { hook, server: { address, protocol, port } };
  for (const { server: real, share, possible } of chooseRealServer(server)) {
    const one = { ...branch, share: times(branch.share, share), possible: branch.possible || possible };
    if (real === undefined) {
      recorder.end(recorder.step(one, at, wordsOfRefusal(server)), { kind: "refused", by: at });
      continue;
    }
    const stays = server.persistence > 0 ? `; the client stays with it for ${server.persistence} s` : "";
    // One for every port leaves the port as it is.
    const realPort = port === 0 ? branch.state.destinationPort : real.port;
    const what = `destination becomes ${printHostPort(real.address, realPort)} (${server.scheduler})${stays}`;
    if (real.method !== "masquerade" && real.method !== "local") {
      recorder.end(one, {
        kind: "unknown",
        by: at,
        reason: `is sent on to ${real.address} untranslated (${real.method})`,
      });
      continue;
    }
    const state = changed(branch.state, {
      destination: hostAddress(real.address),
      destinationPort: realPort,
      tracked: branch.state.tracked && visit.field.ipvsTracked,
      takenBy: { address, protocol, port, method: real.method },
    });
    taken.add({ ...recorder.step(one, at, what), state, reasons: { ...branch.reasons, translated: at } });
  }
}

function wordsOfRefusal(server: VirtualServer): string {
  const { scheduler, realServers } = server;
  if (realServers.every(({ weight }) => weight === 0)) {
    return `${printIdentity(server)} has no real server that takes connections`;
  }
  return `${printIdentity(server)} leads some clients to a real server that takes no connections (${scheduler})`;
}
