// Parses the options of matches and targets and their values: numbers, ranges, masks and protocols.
import type { Word } from "./split.ts";

/** Both ends belong to it. */
export interface NumberRange {
  readonly from: number;
  readonly to: number;
}

/** Which end of the packet is asked about. */
export type Side = "source" | "destination";

/** Which way of a connection: as its first packet went, or as answers go. */
export type Direction = "original" | "reply";

/** A supported match that cannot be evaluated for a single packet: rates, sizes, time of day, content. */
export interface UnevaluatedMatch {
  readonly kind: "unevaluated";
  /** Name of the match: `limit`, `u32`. */
  readonly name: string;
  /** As the rule has it, `-m` and all. */
  readonly text: string;
}

const NUMBER = /^(?:0x[0-9a-f]{1,8}|\d{1,10})$/i;

/** All bits of a mark. */
export const ALL_BITS = 0xffff_ffff;

/** All bits of the byte for the type of service. */
export const TOS_BITS = 0xff;

/** The six of them that are DSCP's; ECN has the two below. */
export const DSCP_BITS = 0x3f;

export const DSCP_SHIFT = 2;

/** The greatest port. */
export const LAST_PORT = 65_535;

/** Decimal, or hexadecimal behind `0x`. */
export function parseNumber(text: string, most: number): number | undefined {
  const number = NUMBER.test(text) ? Number(text) : most + 1;
  return number <= most ? number : undefined;
}

/** `80`, or `80:90` with the separator between. The second may not be below the first. */
export function parseRange(text: string, separator: ":" | "-", most: number): NumberRange | undefined {
  const [first = "", second = first, ...more] = text.split(separator);
  const from = parseNumber(first, most);
  const to = parseNumber(second, most);
  if (from === undefined || to === undefined || from > to || more.length > 0) return undefined;
  return { from, to };
}

/** `0x4000/0x4000`; without the second, all bits. */
export function parseMasked(text: string, bits: number): { readonly value: number; readonly mask: number } | undefined {
  const [first = "", second, ...more] = text.split("/");
  const value = parseNumber(first, bits);
  const mask = second === undefined ? bits : parseNumber(second, bits);
  return value === undefined || mask === undefined || more.length > 0 ? undefined : { value, mask };
}

/** Those that rules are written about, as `/etc/protocols` has them and as iptables knows them without that file. */
const NUMBERS: ReadonlyMap<string, number> = new Map([
  ["icmp", 1],
  ["igmp", 2],
  ["ipencap", 4],
  ["tcp", 6],
  ["udp", 17],
  ["dccp", 33],
  ["ipv6", 41],
  ["gre", 47],
  ["esp", 50],
  ["ah", 51],
  ["ipv6-icmp", 58],
  ["icmpv6", 58],
  ["icmp6", 58],
  ["ospf", 89],
  ["ipip", 94],
  ["pim", 103],
  ["ipcomp", 108],
  ["vrrp", 112],
  ["l2tp", 115],
  ["sctp", 132],
  ["mobility-header", 135],
  ["ipv6-mh", 135],
  ["mh", 135],
  ["udplite", 136],
]);

/** The number of a protocol by name or number. */
export function parseProtocol(text: string): number | undefined {
  return NUMBERS.get(text) ?? parseNumber(text, 255);
}

/** `! --dport 80`: name, values, and whether it is turned round. */
export interface RuleOption {
  readonly name: string;
  readonly values: readonly string[];
  readonly not: boolean;
}

/** Undefined where something is not understood. `text` is the whole as the rule has it. */
export type MatchParser<M> = (options: readonly RuleOption[], text: string) => readonly M[] | undefined;

/** Likewise, `-j` in front. */
export type TargetParser<T> = (options: readonly RuleOption[], text: string) => T | undefined;

/** Undefined for words that belong to no option, and for a `!` before none. */
export function parseRuleOptions(words: readonly Word[]): readonly RuleOption[] | undefined {
  const options: { name: string; values: string[]; not: boolean }[] = [];
  let not = false;
  for (const { text, bare } of words) {
    const current = options.at(-1);
    if (bare && text === "!" && !not) {
      not = true;
    } else if (bare && text.startsWith("--")) {
      options.push({ name: text, values: [], not });
      not = false;
    } else if (current && !not) {
      current.values.push(text);
    } else {
      return undefined;
    }
  }
  return not ? undefined : options;
}

/** A reader of matches in which each option is a question of its own. */
export function eachOption<M>(
  readers: ReadonlyMap<string, (value: string, option: RuleOption) => M | undefined>,
): MatchParser<M> {
  return (options) => {
    const matches: M[] = [];
    for (const option of options) {
      const match = readers.get(option.name)?.(option.values[0] ?? "", option);
      if (match === undefined || option.values.length > 1) return undefined;
      matches.push(match);
    }
    return matches;
  };
}

/**
 * Options by name. Undefined where one stands there twice, is turned round, has too many values, or is none of these.
 */
export function plainOptions(
  options: readonly RuleOption[],
  known: readonly string[],
): ReadonlyMap<string, string> | undefined {
  const found = new Map<string, string>();
  for (const { name, values, not } of options) {
    if (not || values.length > 1 || found.has(name) || !known.includes(name)) return undefined;
    found.set(name, values[0] ?? "");
  }
  return found;
}

/** A list of words parted by commas, all of them known. */
export function parseWordList<T extends string>(text: string, known: readonly T[]): ReadonlySet<T> | undefined {
  const found = new Set<T>();
  for (const each of text.split(",")) {
    const word = known.find((one) => one === each);
    if (word === undefined) return undefined;
    found.add(word);
  }
  return found;
}
