// Evaluates matches of the connection that a packet belongs to, and of marks.

import { type HostAddress, hostAddress, type PacketState } from "../packet.ts";
import type {
  ConnectionAddressMatch,
  ConnectionPortMatch,
  ConnectionState,
  StateMatch,
  StatusMatch,
} from "../rule/conntrack-matches.ts";
import type { MarkMatch } from "../rule/marks.ts";
import type { Match } from "../rule/matches.ts";
import type { Side } from "../rule/options.ts";
import type { HookContext } from "./context.ts";
import { addressOf, evaluateNetwork } from "./evaluate-addresses.ts";
import { type MatchResult, matchIf, NO_MATCH, negated, unknown } from "./match-result.ts";

type ConnectionMatch = Extract<Match, { readonly kind: `conntrack-${string}` }>;

/** Without a connection only `--ctstate` can match. */
export function evaluateConnection(match: ConnectionMatch, state: PacketState, context: HookContext): MatchResult {
  if (match.kind === "conntrack-state") return matchIf(isInState(match, state, context) !== match.not);
  if (!hasConnection(state, context)) return NO_MATCH;
  switch (match.kind) {
    case "conntrack-status":
      return matchIf(hasStatus(match, context) !== match.not);
    case "conntrack-protocol":
      return matchIf((match.protocol === context.packet.protocol) !== match.not);
    case "conntrack-address":
      return negated(evaluateNetwork(connectionAddress(match, state, context), match.network, context), match.not);
    case "conntrack-port":
      return negated(evaluateConnectionPort(match, state, context), match.not);
    case "conntrack-direction":
      return matchIf(match.direction === "original");
  }
}

/** A packet always has a mark, initially 0; a connection mark needs a connection. */
export function evaluateMark(
  { kind, value, mask, not }: MarkMatch,
  state: PacketState,
  context: HookContext,
): MatchResult {
  if (kind === "connmark" && !hasConnection(state, context)) return NO_MATCH;
  const mark = kind === "mark" ? state.mark : state.connectionMark;
  return matchIf(((mark & mask) >>> 0 === value) !== not);
}

/** Whether the packet belongs to a tracked connection. */
export function hasConnection({ tracked }: PacketState, { connection }: HookContext): boolean {
  return tracked && connection !== "none";
}

function isInState({ states }: StateMatch, state: PacketState, context: HookContext): boolean {
  return statesOf(state, context).some((one) => states.has(one));
}

function statesOf(state: PacketState, context: HookContext): readonly ConnectionState[] {
  if (!state.tracked) return ["UNTRACKED"];
  if (!hasConnection(state, context)) return ["INVALID"];
  const { source, destination } = state.translated;
  return ["NEW", ...(source ? (["SNAT"] as const) : []), ...(destination ? (["DNAT"] as const) : [])];
}

/** NONE is no bit in the kernel: a rule with NONE alone never matches. */
function hasStatus({ statuses }: StatusMatch, { connection }: HookContext): boolean {
  return statuses.has("CONFIRMED") && connection === "confirmed";
}

/** The reply tuple (IP_CT_DIR_REPLY) is the current packet reversed. */
function connectionAddress(
  { direction, side }: ConnectionAddressMatch,
  state: PacketState,
  { packet, source }: HookContext,
): HostAddress | undefined {
  if (direction === "reply") return addressOf(state, opposite(side));
  return side === "source" ? source : hostAddress(packet.destination);
}

function evaluateConnectionPort(
  { direction, side, range }: ConnectionPortMatch,
  state: PacketState,
  { packet }: HookContext,
): MatchResult {
  const original = { source: packet.sourcePort, destination: packet.destinationPort };
  const reply = { source: state.destinationPort, destination: state.sourcePort };
  const port = (direction === "reply" ? reply : original)[side];
  if (port === undefined) return unknown("depends on the source port; pass it in --from");
  return matchIf(range.from <= port && port <= range.to);
}

function opposite(side: Side): Side {
  return side === "source" ? "destination" : "source";
}
