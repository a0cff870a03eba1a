// Parses the matches conntrack and state.

import { type Network, parseNetwork } from "./network.ts";
import {
  type Direction,
  eachOption,
  LAST_PORT,
  type MatchParser,
  type NumberRange,
  parseProtocol,
  parseRange,
  parseWordList,
  type RuleOption,
  type Side,
  type UnevaluatedMatch,
} from "./options.ts";

/** As `--ctstate` and `--state` spell them. SNAT and DNAT: the connection's addresses are translated. */
export type ConnectionState = "INVALID" | "NEW" | "ESTABLISHED" | "RELATED" | "UNTRACKED" | "SNAT" | "DNAT";

/** As `--ctstatus` spells them; of NONE, a connection has none of the others. */
type ConnectionStatus = "NONE" | "EXPECTED" | "SEEN_REPLY" | "ASSURED" | "CONFIRMED";

/** Is the connection in one of these states? */
export interface StateMatch {
  readonly kind: "conntrack-state";
  readonly states: ReadonlySet<ConnectionState>;
  readonly not: boolean;
}

/** Has the connection one of these marks of progress? */
export interface StatusMatch {
  readonly kind: "conntrack-status";
  readonly statuses: ReadonlySet<ConnectionStatus>;
  readonly not: boolean;
}

/** The connection's protocol; 0 is none. */
interface ConnectionProtocolMatch {
  readonly kind: "conntrack-protocol";
  readonly protocol: number;
  readonly not: boolean;
}

/** An address of the connection, before translation (`original`) or as answers bear it (`reply`). */
export interface ConnectionAddressMatch {
  readonly kind: "conntrack-address";
  readonly direction: Direction;
  readonly side: Side;
  readonly network: Network;
  readonly not: boolean;
}

/** A port of the connection, likewise. */
export interface ConnectionPortMatch {
  readonly kind: "conntrack-port";
  readonly direction: Direction;
  readonly side: Side;
  readonly range: NumberRange;
  readonly not: boolean;
}

/** Which way of its connection the packet goes. */
interface ConnectionDirectionMatch {
  readonly kind: "conntrack-direction";
  readonly direction: Direction;
}

/** Matches of `-m conntrack` and `-m state`. */
export type ConntrackMatch =
  | StateMatch
  | StatusMatch
  | ConnectionProtocolMatch
  | ConnectionAddressMatch
  | ConnectionPortMatch
  | ConnectionDirectionMatch
  | UnevaluatedMatch;

type Reader = (value: string, option: RuleOption) => ConntrackMatch | undefined;

const STATES: readonly ConnectionState[] = ["INVALID", "NEW", "ESTABLISHED", "RELATED", "UNTRACKED", "SNAT", "DNAT"];

const STATUSES: readonly ConnectionStatus[] = ["NONE", "EXPECTED", "SEEN_REPLY", "ASSURED", "CONFIRMED"];

/** How options spell direction and side. */
const ENDS: readonly (readonly [spelling: string, direction: Direction, side: Side])[] = [
  ["origsrc", "original", "source"],
  ["origdst", "original", "destination"],
  ["replsrc", "reply", "source"],
  ["repldst", "reply", "destination"],
];

const PARSERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["--ctstate", parseState],
  ["--ctstatus", parseStatus],
  ["--ctproto", parseConnectionProtocol],
  ["--ctdir", parseDirection],
  ["--ctexpire", parseExpiry],
  ...ENDS.flatMap(([spelling, direction, side]): [string, Reader][] => [
    [`--ct${spelling}`, parseAddress(direction, side)],
    [`--ct${spelling}port`, parsePort(direction, side)],
  ]),
]);

export const parseConntrack: MatchParser<ConntrackMatch> = eachOption(PARSERS);

/** The match that conntrack's replaced; it knows neither SNAT nor DNAT. */
export const parseStateMatch: MatchParser<ConntrackMatch> = eachOption(new Map([["--state", parseState]]));

function parseState(value: string, { not }: RuleOption): ConntrackMatch | undefined {
  const states = parseWordList(value, STATES);
  return states && { kind: "conntrack-state", states, not };
}

function parseStatus(value: string, { not }: RuleOption): ConntrackMatch | undefined {
  const statuses = parseWordList(value, STATUSES);
  return statuses && { kind: "conntrack-status", statuses, not };
}

function parseConnectionProtocol(value: string, { not }: RuleOption): ConntrackMatch | undefined {
  const protocol = parseProtocol(value);
  return protocol === undefined ? undefined : { kind: "conntrack-protocol", protocol, not };
}

function parseDirection(value: string, { not }: RuleOption): ConntrackMatch | undefined {
  if (not || (value !== "ORIGINAL" && value !== "REPLY")) return undefined;
  return { kind: "conntrack-direction", direction: value === "REPLY" ? "reply" : "original" };
}

/** Remaining seconds of the connection, which are unknown for a traced packet. */
function parseExpiry(value: string, { not }: RuleOption): ConntrackMatch {
  return { kind: "unevaluated", name: "conntrack", text: `${not ? "! " : ""}--ctexpire ${value}` };
}

function parseAddress(direction: Direction, side: Side): Reader {
  return (value, { not }) => {
    const network = parseNetwork(value);
    return network && { kind: "conntrack-address", direction, side, network, not };
  };
}

function parsePort(direction: Direction, side: Side): Reader {
  return (value, { not }) => {
    const range = parseRange(value, ":", LAST_PORT);
    return range && { kind: "conntrack-port", direction, side, range, not };
  };
}
