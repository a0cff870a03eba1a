// Parses the matches conntrack and state.

import { type Network, readNetwork } from "./network.ts";
import {
  type Direction,
  eachOption,
  LAST_PORT,
  type MatchReader,
  type NumberRange,
  type RuleOption,
  readProtocol,
  readRange,
  readWordList,
  type Side,
  type UnjudgedMatch,
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
  | UnjudgedMatch;

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

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["--ctstate", readState],
  ["--ctstatus", readStatus],
  ["--ctproto", readConnectionProtocol],
  ["--ctdir", readDirection],
  ["--ctexpire", readExpiry],
  ...ENDS.flatMap(([spelling, direction, side]): [string, Reader][] => [
    [`--ct${spelling}`, readAddress(direction, side)],
    [`--ct${spelling}port`, readPort(direction, side)],
  ]),
]);

export const readConntrack: MatchReader<ConntrackMatch> = eachOption(READERS);

/** The match that conntrack's replaced; it knows neither SNAT nor DNAT. */
export const readStateMatch: MatchReader<ConntrackMatch> = eachOption(new Map([["--state", readState]]));

function readState(value: string, { not }: RuleOption): ConntrackMatch | undefined {
  const states = readWordList(value, STATES);
  return states && { kind: "conntrack-state", states, not };
}

function readStatus(value: string, { not }: RuleOption): ConntrackMatch | undefined {
  const statuses = readWordList(value, STATUSES);
  return statuses && { kind: "conntrack-status", statuses, not };
}

function readConnectionProtocol(value: string, { not }: RuleOption): ConntrackMatch | undefined {
  const protocol = readProtocol(value);
  return protocol === undefined ? undefined : { kind: "conntrack-protocol", protocol, not };
}

function readDirection(value: string, { not }: RuleOption): ConntrackMatch | undefined {
  if (not || (value !== "ORIGINAL" && value !== "REPLY")) return undefined;
  return { kind: "conntrack-direction", direction: value === "REPLY" ? "reply" : "original" };
}

/** Seconds that are left to a connection: nobody knows them of one that is not there. */
function readExpiry(value: string, { not }: RuleOption): ConntrackMatch {
  return { kind: "unjudged", name: "conntrack", text: `${not ? "! " : ""}--ctexpire ${value}` };
}

function readAddress(direction: Direction, side: Side): Reader {
  return (value, { not }) => {
    const network = readNetwork(value);
    return network && { kind: "conntrack-address", direction, side, network, not };
  };
}

function readPort(direction: Direction, side: Side): Reader {
  return (value, { not }) => {
    const range = readRange(value, ":", LAST_PORT);
    return range && { kind: "conntrack-port", direction, side, range, not };
  };
}
