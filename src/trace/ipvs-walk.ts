// Walks a packet through IPVS at one of the two hooks where it accepts new connections.
import { PROTOCOL_NUMBERS } from "../net/protocol.ts";
import { printIdentity, type VirtualServer } from "../state/virtual-server.ts";
import { type Branch, Branches } from "./branch.ts";
import { printHostPort } from "./effect.ts";
import type { Field } from "./field.ts";
import { times } from "./fraction.ts";
import { changed, hostAddress, type PacketState } from "./packet-state.ts";
import { chooseRealServer } from "./real-server-choice.ts";
import type { Recorder } from "./recorder.ts";
import type { ServerPlace } from "./trace.ts";

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
