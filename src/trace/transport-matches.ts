// What do rules ask of ports, TCP flags, SCTP chunks and ICMP types?
import type { IcmpMatch, Match, PortsMatch, TcpFlagsMatch } from "./match-kinds.ts";
import { LAST_PORT, readNumber, readRange } from "./rule-numbers.ts";
import { eachOption, type MatchReader, type RuleOption } from "./rule-options.ts";

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
export const readUdp: MatchReader = readAll((option) => readPorts(option));

export const readTcp: MatchReader = readAll((option, text) => readPorts(option) ?? readTcpOption(option, text));

export const readSctp: MatchReader = readAll((option) => readPorts(option) ?? readChunkTypes(option));

/** Packet types of DCCP are no part of what is known of a packet. */
export const readDccp: MatchReader = readAll(
  (option, text) => readPorts(option) ?? readContent(option, ["--dccp-types", "--dccp-option"], { name: "dccp", text }),
);

export const readMultiport: MatchReader = readAll(({ name, values: [list = "", ...more], not }) => {
  const side = LIST_OPTIONS.get(name);
  const ranges = list.split(",").map((part) => readRange(part, ":", LAST_PORT));
  return side !== undefined && allKnown(ranges) && more.length === 0 ? { kind: "ports", side, ranges, not } : undefined;
});

export const readIcmp: MatchReader = eachOption(
  new Map([
    ["--icmp-type", readIcmpType],
    ["--icmpv6-type", readIcmpType],
  ]),
);

function readAll(read: (option: RuleOption, text: string) => Match | undefined): MatchReader {
  return (options, text) => {
    const matches = options.map((option) => read(option, text));
    return allKnown(matches) ? matches : undefined;
  };
}

function allKnown<T>(items: readonly (T | undefined)[]): items is readonly (T & {})[] {
  return items.every((item) => item !== undefined);
}

function readPorts({ name, values: [value = "", ...more], not }: RuleOption): PortsMatch | undefined {
  const side = PORT_OPTIONS.get(name);
  const range = readRange(value, ":", LAST_PORT);
  if (side === undefined || range === undefined || more.length > 0) return undefined;
  return { kind: "ports", side, ranges: [range], not };
}

function readTcpOption(option: RuleOption, text: string): Match | undefined {
  const { name, values, not } = option;
  if (name === "--syn") return values.length === 0 ? { kind: "tcp-flags", ...OPENING, not } : undefined;
  return name === "--tcp-flags" ? readFlags(option) : readContent(option, ["--tcp-option"], { name: "tcp", text });
}

function readFlags({ values: [first = "", second = "", ...more], not }: RuleOption): TcpFlagsMatch | undefined {
  const mask = flagBits(first);
  const set = flagBits(second);
  if (mask === undefined || set === undefined || more.length > 0) return undefined;
  return { kind: "tcp-flags", mask, set, not };
}

function flagBits(text: string): number | undefined {
  const bits: readonly (number | undefined)[] = text.split(",").map((name) => FLAGS.get(name));
  return allKnown(bits) ? bits.reduce((all, bit) => all | bit, 0) : undefined;
}

function readChunkTypes({ name, values: [how, chunks = "", ...more], not }: RuleOption): Match | undefined {
  if (name !== "--chunk-types" || chunks === "" || more.length > 0) return undefined;
  if (how !== "all" && how !== "any" && how !== "only") return undefined;
  return { kind: "chunk-types", how, chunks: chunks.split(","), not };
}

function readContent(
  { name, values }: RuleOption,
  known: readonly string[],
  match: { readonly name: string; readonly text: string },
): Match | undefined {
  return known.includes(name) && values.length === 1 ? { kind: "unjudged", ...match } : undefined;
}

function readIcmpType(value: string, { not }: RuleOption): IcmpMatch | undefined {
  if (value === "any") return { kind: "icmp", not };
  const [first = "", second, ...more] = value.split("/");
  const type = readNumber(first, 255);
  const code = second === undefined ? undefined : readNumber(second, 255);
  if (type === undefined || (second !== undefined && code === undefined) || more.length > 0) return undefined;
  return { kind: "icmp", type, ...(code === undefined ? {} : { code }), not };
}
