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
import type { Situation } from "./context.ts";
import { addressAt, judgeNetwork } from "./evaluate-addresses.ts";
import { FAILS, type Judgement, judged, negated, unknown } from "./match-result.ts";

type ConnectionMatch = Extract<Match, { readonly kind: `conntrack-${string}` }>;

/** A question about a connection fails where there is none, save that about its state. */
export function judgeConnection(match: ConnectionMatch, state: PacketState, situation: Situation): Judgement {
  if (match.kind === "conntrack-state") return judged(isInState(match, state, situation) !== match.not);
  if (!hasConnection(state, situation)) return FAILS;
  switch (match.kind) {
    case "conntrack-status":
      return judged(hasStatus(match, situation) !== match.not);
    case "conntrack-protocol":
      return judged((match.protocol === situation.packet.protocol) !== match.not);
    case "conntrack-address":
      return negated(judgeNetwork(connectionAddress(match, state, situation), match.network, situation), match.not);
    case "conntrack-port":
      return negated(judgeConnectionPort(match, state, situation), match.not);
    case "conntrack-direction":
      return judged(match.direction === "original");
  }
}

/** A packet has a mark always, 0 at first; its connection only when there is one. */
export function judgeMark({ kind, value, mask, not }: MarkMatch, state: PacketState, situation: Situation): Judgement {
  if (kind === "connmark" && !hasConnection(state, situation)) return FAILS;
  const mark = kind === "mark" ? state.mark : state.connectionMark;
  return judged(((mark & mask) >>> 0 === value) !== not);
}

/** Does the kernel know a connection that the packet belongs to? */
export function hasConnection({ tracked }: PacketState, { connection }: Situation): boolean {
  return tracked && connection !== "none";
}

function isInState({ states }: StateMatch, state: PacketState, situation: Situation): boolean {
  return statesOf(state, situation).some((one) => states.has(one));
}

function statesOf(state: PacketState, situation: Situation): readonly ConnectionState[] {
  if (!state.tracked) return ["UNTRACKED"];
  if (!hasConnection(state, situation)) return ["INVALID"];
  const { source, destination } = state.translated;
  return ["NEW", ...(source ? (["SNAT"] as const) : []), ...(destination ? (["DNAT"] as const) : [])];
}

/** NONE is no bit for the kernel: a rule that asks for it alone never holds. */
function hasStatus({ statuses }: StatusMatch, { connection }: Situation): boolean {
  return statuses.has("CONFIRMED") && connection === "confirmed";
}

/** Answers come from where the packet goes to by now, and go to where it seems to come from. */
function connectionAddress(
  { direction, side }: ConnectionAddressMatch,
  state: PacketState,
  { packet, source }: Situation,
): HostAddress | undefined {
  if (direction === "reply") return addressAt(state, opposite(side));
  return side === "source" ? source : hostAddress(packet.destination);
}

function judgeConnectionPort(
  { direction, side, range }: ConnectionPortMatch,
  state: PacketState,
  { packet }: Situation,
): Judgement {
  const original = { source: packet.sourcePort, destination: packet.destinationPort };
  const reply = { source: state.destinationPort, destination: state.sourcePort };
  const port = (direction === "reply" ? reply : original)[side];
  if (port === undefined) return unknown("asks for the port it comes from; say it in --from");
  return judged(range.from <= port && port <= range.to);
}

function opposite(side: Side): Side {
  return side === "source" ? "destination" : "source";
}
