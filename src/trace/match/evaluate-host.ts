// Evaluates matches of bridge ports, sockets, socket owners and IPVS.

import { PROTOCOL_NUMBERS } from "../../net/protocol.ts";
import { hostAddress, type PacketState, type SelectedServer } from "../packet.ts";
import type { BridgePortMatch, IpvsMatch, OwnerMatch, SocketMatch } from "../rule/host-matches.ts";
import { networkHolds } from "../rule/network.ts";
import type { HookContext } from "./context.ts";
import { type MatchResult, matchIf, NO_MATCH, unknown } from "./match-result.ts";

/** Only packets from a bridge have a bridge port. */
export function evaluateBridgePort({ property, not }: BridgePortMatch, { packet }: HookContext): MatchResult {
  if (packet.origin.kind === "node") return matchIf(not);
  return unknown(property === "out" || property === "is-out" ? "depends on the outgoing bridge port" : WHICH_PORT);
}

const WHICH_PORT = "depends on the incoming bridge port";

/** Forwarded packets have no owner. */
export function evaluateOwner({ not }: OwnerMatch, { packet }: HookContext): MatchResult {
  return packet.origin.kind === "node" ? unknown("depends on the user of the sending process") : matchIf(not);
}

/**
 * A new connection has no socket yet. A listening socket is unknown; for an address that is not local it must be a
 * wildcard.
 */
export function evaluateSocket(
  { wildcard }: SocketMatch,
  state: PacketState,
  { localAddresses }: HookContext,
): MatchResult {
  if (!wildcard && localAddresses.isLocal(state.destination.text) === false) return NO_MATCH;
  return unknown("depends on whether a process listens on the destination");
}

/** Without a virtual server no property matches, inverted or not. */
export function evaluateIpvs({ property, not }: IpvsMatch, { server }: PacketState): MatchResult {
  if (property.what === "managed") return matchIf((server !== undefined) !== not);
  return server === undefined ? NO_MATCH : matchIf(isOf(property, server) !== not);
}

const METHODS = { GATE: "route", IPIP: "tunnel", MASQ: "masquerade" } as const;

/** The control port is that of a related connection, such as FTP data. */
function isOf(property: Exclude<IpvsMatch["property"], { what: "managed" }>, server: SelectedServer): boolean {
  switch (property.what) {
    case "protocol":
      return property.protocol === PROTOCOL_NUMBERS[server.protocol];
    case "address":
      return networkHolds(property.network, hostAddress(server.address).bits);
    case "port":
      return property.port === server.port;
    case "control-port":
      return false;
    case "direction":
      return property.direction === "original";
    case "method":
      return METHODS[property.method] === server.method;
  }
}
