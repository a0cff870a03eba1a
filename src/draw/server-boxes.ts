// Draws virtual servers and their real servers.
import type { Fragment } from "../state/kernel-state.ts";
import { printIdentity, type RealServer, type VirtualServer } from "../state/virtual-server.ts";
import { fraction, printShare } from "../trace/probability.ts";
import type { Arrow, Box } from "./graph.ts";
import { shorten } from "./lines.ts";

/** Virtual servers that do the same: a client is sent to the same real servers in the same way by each. */
export interface ServerGroup {
  readonly box: Box;
  readonly servers: readonly VirtualServer[];
}

/** An end of a packet as sets have it: `10.96.1.5,tcp:443`, or a port alone beside the protocol that a rule asks for. */
export interface Entry {
  readonly text: string;
  readonly protocol: string | undefined;
}

/** The virtual servers of a ServicePort, those that do the same together. */
export function groupServers(fragment: Fragment): readonly ServerGroup[] {
  const servers = new Map((fragment.ipvs()?.servers ?? []).map((server) => [printIdentity(server), server]));
  const groups = new Map<string, VirtualServer[]>();
  for (const server of servers.values()) {
    const { address: _, port: __, protocol: ___, ...rest } = server;
    const key = JSON.stringify(rest);
    const group = groups.get(key);
    if (group) group.push(server);
    else groups.set(key, [server]);
  }
  return [...groups.values()].map((group, index) => ({ box: boxOf(group, `servers ${index}`), servers: group }));
}

function boxOf(servers: readonly VirtualServer[], id: string): Box {
  const [name = "", ...others] = servers.map(printIdentity);
  const settings = servers
    .slice(0, 1)
    .flatMap(({ scheduler, persistence, realServers }) => [
      `scheduler ${scheduler}`,
      ...(persistence === 0 ? [] : [`affinity: ${persistence} s`]),
      ...(realServers.length === 0 ? ["no real server: refuses"] : []),
    ]);
  return { id, kind: "server", caption: "ipvs", name, notes: [...shorten(others), ...settings] };
}

/** Does the entry stand for one of the servers? */
export function isEntryOf({ servers }: ServerGroup, { text, protocol }: Entry): boolean {
  return servers.some((server) => {
    const own = server.protocol.toLowerCase();
    return text === `${server.address},${own}:${server.port}` || (text === `${server.port}` && protocol === own);
  });
}

/** Real servers of a group, with the arrows that lead to them. */
export function drawRealServers({ box: { id }, servers }: ServerGroup): readonly (readonly [Box, Arrow])[] {
  const [{ scheduler, realServers } = { scheduler: "", realServers: [] }] = servers;
  return realServers.map((server) => {
    const name = `${server.address.includes(":") ? `[${server.address}]` : server.address}:${server.port}`;
    const box: Box = { id: `to ${name}`, kind: "endpoint", caption: "", name, notes: [] };
    return [box, { from: id, to: box.id, labels: shareOf(server, scheduler, realServers) }];
  });
}

/** What a scheduler gives in turn has shares; others look at connections or addresses, and have none to tell. */
function shareOf({ weight }: RealServer, scheduler: string, all: readonly RealServer[]): readonly string[] {
  if (weight === 0) return ["drains"];
  const weights = all.map((server) => (scheduler === "rr" ? Math.min(1, server.weight) : server.weight));
  const own = scheduler === "rr" ? 1 : weight;
  if (scheduler !== "rr" && scheduler !== "wrr") return weight === 1 ? [] : [`weight ${weight}`];
  const sum = weights.reduce((total, each) => total + each, 0);
  return sum === own ? [] : [printShare(fraction(own, sum))];
}
