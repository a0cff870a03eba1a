// Parses the matches tcp, udp, sctp, dccp, multiport and icmp.
import {
  eachOption,
  LAST_PORT,
  type MatchParser,
  type NumberRange,
  parseNumber,
  parseRange,
  type RuleOption,
  type Side,
  type UnevaluatedMatch,
} from "./options.ts";

/** Ports of TCP, UDP, SCTP, DCCP or UDPlite; `either`: one of the two is in a range. Holds for no later fragment. */
export interface PortsMatch {
  readonly kind: "ports";
  readonly side: Side | "either";
  readonly ranges: readonly NumberRange[];
  readonly not: boolean;
}

/** Of the flags in `mask`, exactly those in `set` are on: FIN 1, SYN 2, RST 4, PSH 8, ACK 16, URG 32. */
export interface TcpFlagsMatch {
  readonly kind: "tcp-flags";
  readonly mask: number;
  readonly set: number;
  readonly not: boolean;
}

/** Chunks of an SCTP packet: all of these are in it, any of them, or no others. */
export interface ChunkTypesMatch {
  readonly kind: "chunk-types";
  readonly how: "all" | "any" | "only";
  /** As written: `INIT`, `DATA:be`; `ALL` for every type. */
  readonly chunks: readonly string[];
  readonly not: boolean;
}

/** Type and, if asked, code of ICMP or ICMPv6; no type: any. */
export interface IcmpMatch {
  readonly kind: "icmp";
  readonly type?: number;
  readonly code?: number;
  readonly not: boolean;
}

/** Matches of `-m tcp`, `-m udp`, `-m sctp`, `-m dccp`, `-m multiport` and `-m icmp`. */
export type TransportMatch = PortsMatch | TcpFlagsMatch | ChunkTypesMatch | IcmpMatch | UnevaluatedMatch;

const FLAGS: ReadonlyMap<string, number> = new Map([
  ["FIN", 1],
  ["SYN", 2],
  ["RST", 4],
  ["PSH", 8],
  ["ACK", 16],
  ["URG", 32],
  ["ALL", 63],
  ["NONE", 0],
]);

/** What `--syn` is short for. */
const OPENING = { mask: 0x17, set: 0x02 };

const PORT_OPTIONS: ReadonlyMap<string, PortsMatch["side"]> = new Map([
  ["--sport", "source"],
  ["--source-port", "source"],
  ["--dport", "destination"],
  ["--destination-port", "destination"],
]);

const LIST_OPTIONS: ReadonlyMap<string, PortsMatch["side"]> = new Map([
  ["--sports", "source"],
  ["--source-ports", "source"],
  ["--dports", "destination"],
  ["--destination-ports", "destination"],
  ["--ports", "either"],
]);

/** Ports alone: of UDP and UDPlite. */
export const parseUdp: MatchParser<TransportMatch> = parseAll((option) => parsePorts(option));

export const parseTcp: MatchParser<TransportMatch> = parseAll(
  (option, text) => parsePorts(option) ?? parseTcpOption(option, text),
);

export const parseSctp: MatchParser<TransportMatch> = parseAll(
  (option) => parsePorts(option) ?? parseChunkTypes(option),
);

/** Packet types of DCCP are no part of what is known of a packet. */
export const parseDccp: MatchParser<TransportMatch> = parseAll(
  (option, text) =>
    parsePorts(option) ?? parseContent(option, ["--dccp-types", "--dccp-option"], { name: "dccp", text }),
);

export const parseMultiport: MatchParser<TransportMatch> = parseAll(({ name, values: [list = "", ...more], not }) => {
  const side = LIST_OPTIONS.get(name);
  const ranges = list.split(",").map((part) => parseRange(part, ":", LAST_PORT));
  return side !== undefined && allKnown(ranges) && more.length === 0 ? { kind: "ports", side, ranges, not } : undefined;
});

export const parseIcmp: MatchParser<TransportMatch> = eachOption(
  new Map([
    ["--icmp-type", parseIcmpType],
    ["--icmpv6-type", parseIcmpType],
  ]),
);

function parseAll(read: (option: RuleOption, text: string) => TransportMatch | undefined): MatchParser<TransportMatch> {
  return (options, text) => {
    const matches = options.map((option) => read(option, text));
    return allKnown(matches) ? matches : undefined;
  };
}

function allKnown<T>(items: readonly (T | undefined)[]): items is readonly (T & {})[] {
  return items.every((item) => item !== undefined);
}

function parsePorts({ name, values: [value = "", ...more], not }: RuleOption): PortsMatch | undefined {
  const side = PORT_OPTIONS.get(name);
  const range = parseRange(value, ":", LAST_PORT);
  if (side === undefined || range === undefined || more.length > 0) return undefined;
  return { kind: "ports", side, ranges: [range], not };
}

function parseTcpOption(option: RuleOption, text: string): TransportMatch | undefined {
  const { name, values, not } = option;
  if (name === "--syn") return values.length === 0 ? { kind: "tcp-flags", ...OPENING, not } : undefined;
  return name === "--tcp-flags" ? parseFlags(option) : parseContent(option, ["--tcp-option"], { name: "tcp", text });
}

function parseFlags({ values: [first = "", second = "", ...more], not }: RuleOption): TcpFlagsMatch | undefined {
  const mask = flagBits(first);
  const set = flagBits(second);
  if (mask === undefined || set === undefined || more.length > 0) return undefined;
  return { kind: "tcp-flags", mask, set, not };
}

function flagBits(text: string): number | undefined {
  const bits: readonly (number | undefined)[] = text.split(",").map((name) => FLAGS.get(name));
  return allKnown(bits) ? bits.reduce((all, bit) => all | bit, 0) : undefined;
}

function parseChunkTypes({ name, values: [how, chunks = "", ...more], not }: RuleOption): TransportMatch | undefined {
  if (name !== "--chunk-types" || chunks === "" || more.length > 0) return undefined;
  if (how !== "all" && how !== "any" && how !== "only") return undefined;
  return { kind: "chunk-types", how, chunks: chunks.split(","), not };
}

function parseContent(
  { name, values }: RuleOption,
  known: readonly string[],
  match: { readonly name: string; readonly text: string },
): TransportMatch | undefined {
  return known.includes(name) && values.length === 1 ? { kind: "unevaluated", ...match } : undefined;
}

function parseIcmpType(value: string, { not }: RuleOption): IcmpMatch | undefined {
  if (value === "any") return { kind: "icmp", not };
  const [first = "", second, ...more] = value.split("/");
  const type = parseNumber(first, 255);
  const code = second === undefined ? undefined : parseNumber(second, 255);
  if (type === undefined || (second !== undefined && code === undefined) || more.length > 0) return undefined;
  return { kind: "icmp", type, ...(code === undefined ? {} : { code }), not };
}
