// What do rules ask of the connection that a packet belongs to?
import type { ConnectionState, ConnectionStatus, Direction, Match, Side } from "./match-kinds.ts";
import { readNetwork } from "./network.ts";
import { readProtocol } from "./protocol-names.ts";
import { LAST_PORT, readRange } from "./rule-numbers.ts";
import { eachOption, type MatchReader, type RuleOption, readWordList } from "./rule-options.ts";

type Reader = (value: string, option: RuleOption) => Match | undefined;

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

export const readConntrack: MatchReader = eachOption(READERS);

/** The match that conntrack's replaced; it knows neither SNAT nor DNAT. */
export const readStateMatch: MatchReader = eachOption(new Map([["--state", readState]]));

function readState(value: string, { not }: RuleOption): Match | undefined {
  const states = readWordList(value, STATES);
  return states && { kind: "conntrack-state", states, not };
}

function readStatus(value: string, { not }: RuleOption): Match | undefined {
  const statuses = readWordList(value, STATUSES);
  return statuses && { kind: "conntrack-status", statuses, not };
}

function readConnectionProtocol(value: string, { not }: RuleOption): Match | undefined {
  const protocol = readProtocol(value);
  return protocol === undefined ? undefined : { kind: "conntrack-protocol", protocol, not };
}

function readDirection(value: string, { not }: RuleOption): Match | undefined {
  if (not || (value !== "ORIGINAL" && value !== "REPLY")) return undefined;
  return { kind: "conntrack-direction", direction: value === "REPLY" ? "reply" : "original" };
}

/** Seconds that are left to a connection: nobody knows them of one that is not there. */
function readExpiry(value: string, { not }: RuleOption): Match {
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
