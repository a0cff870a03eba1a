// Parses the matches addrtype, iprange and set.

import type { Family } from "../../net/family.ts";
import { parseAddressBits } from "./network.ts";
import {
  eachOption,
  type MatchParser,
  parseWordList,
  type RuleOption,
  type Side,
  type UnevaluatedMatch,
} from "./options.ts";

/** What a route says of an address, as `--src-type` and `--dst-type` spell it. */
export type AddressType =
  | "UNSPEC"
  | "UNICAST"
  | "LOCAL"
  | "BROADCAST"
  | "ANYCAST"
  | "MULTICAST"
  | "BLACKHOLE"
  | "UNREACHABLE"
  | "PROHIBIT"
  | "THROW"
  | "NAT"
  | "XRESOLVE";

/** What the node's routes say of an address, all interfaces counted or only the packet's own. */
export interface AddressTypeMatch {
  readonly kind: "address-type";
  readonly side: Side;
  readonly types: ReadonlySet<AddressType>;
  readonly only?: "in-interface" | "out-interface";
  readonly not: boolean;
}

/** Is an address one of these? Both ends belong to it, as numbers. */
export interface AddressRangeMatch {
  readonly kind: "address-range";
  readonly side: Side;
  readonly family: Family;
  readonly from: bigint;
  readonly to: bigint;
  readonly not: boolean;
}

/** Is what the packet has at these places in the set? */
export interface SetMatch {
  readonly kind: "set";
  readonly name: string;
  /** For each part of an entry the end that it is taken from. */
  readonly sides: readonly Side[];
  /** The other way round: it holds for what an entry with `nomatch` takes out, and for nothing else. */
  readonly returnNomatch: boolean;
  readonly not: boolean;
}

/** Matches of `-m addrtype`, `-m iprange` and `-m set`. */
export type AddressMatch = AddressTypeMatch | AddressRangeMatch | SetMatch | UnevaluatedMatch;

const TYPES: readonly AddressType[] = [
  "UNSPEC",
  "UNICAST",
  "LOCAL",
  "BROADCAST",
  "ANYCAST",
  "MULTICAST",
  "BLACKHOLE",
  "UNREACHABLE",
  "PROHIBIT",
  "THROW",
  "NAT",
  "XRESOLVE",
];

const TYPE_SIDES: ReadonlyMap<string, Side> = new Map([
  ["--src-type", "source"],
  ["--dst-type", "destination"],
]);

const LIMITS: ReadonlyMap<string, AddressTypeMatch["only"] & string> = new Map([
  ["--limit-iface-in", "in-interface"],
  ["--limit-iface-out", "out-interface"],
]);

/** Of a set's options, those about how often an entry was met. */
const ENTRY_COUNTS = /^--(?:packets|bytes)-(?:eq|lt|gt)$/;

/** Those that say which counters are kept. */
const COUNTING: readonly string[] = ["--update-counters", "--update-subcounters"];

/** The limit holds for every type of the match. */
export const parseAddressTypes: MatchParser<AddressMatch> = (options) => {
  const limits = options.flatMap(({ name, not, values }) => (not || values.length > 0 ? [] : (LIMITS.get(name) ?? [])));
  const asked = options.filter(({ name }) => !LIMITS.has(name)).map(parseAddressType);
  const [only, ...others] = limits;
  if (others.length > 0 || asked.length + limits.length < options.length) return undefined;
  const matches = asked.flatMap((match) => (match ? [only === undefined ? match : { ...match, only }] : []));
  return matches.length < asked.length ? undefined : matches;
};

export const parseAddressRanges: MatchParser<AddressMatch> = eachOption(
  new Map([
    ["--src-range", (value: string, { not }: RuleOption) => parseAddressRange("source", value, not)],
    ["--dst-range", (value: string, { not }: RuleOption) => parseAddressRange("destination", value, not)],
  ]),
);

/** What asks for counts of an entry stands as `unevaluated` behind it. */
export const parseSets: MatchParser<AddressMatch> = ([first, ...options], text) => {
  if (first?.name !== "--match-set" || first.values.length !== 2) return undefined;
  const [name = "", places = ""] = first.values;
  const sides = parseSides(places);
  const counts = options.some((option) => ENTRY_COUNTS.test(option.name));
  if (sides === undefined || !options.every(isSetOption)) return undefined;
  const returnNomatch = options.some((option) => option.name === "--return-nomatch");
  const match: AddressMatch = { kind: "set", name, sides, returnNomatch, not: first.not };
  return counts ? [match, { kind: "unevaluated", name: "set", text }] : [match];
};

/** `src,dst`: for each part of a set's entry the end that it is taken from. */
export function parseSides(text: string): readonly Side[] | undefined {
  const sides: Side[] = [];
  for (const word of text.split(",")) {
    if (word !== "src" && word !== "dst") return undefined;
    sides.push(word === "src" ? "source" : "destination");
  }
  return sides;
}

function parseAddressType({ name, values: [list = "", ...more], not }: RuleOption): AddressTypeMatch | undefined {
  const side = TYPE_SIDES.get(name);
  const types = parseWordList(list, TYPES);
  if (side === undefined || types === undefined || more.length > 0) return undefined;
  return { kind: "address-type", side, types, not };
}

function parseAddressRange(side: Side, text: string, not: boolean): AddressMatch | undefined {
  const [first = "", second = first, ...more] = text.split("-");
  const from = parseAddressBits(first);
  const to = parseAddressBits(second);
  if (from === undefined || to === undefined || from.family !== to.family || more.length > 0) return undefined;
  return { kind: "address-range", side, family: from.family, from: from.bits, to: to.bits, not };
}

function isSetOption({ name, values, not }: RuleOption): boolean {
  if (name === "--return-nomatch") return values.length === 0 && !not;
  return COUNTING.includes(name) ? values.length === 0 : ENTRY_COUNTS.test(name) && values.length === 1;
}
