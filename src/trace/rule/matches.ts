// Parses `-m NAME` by the name of the match, and lists all kinds of matches.
import { type AddressMatch, parseAddressRanges, parseAddressTypes, parseSets } from "./address-matches.ts";
import { type ConntrackMatch, parseConntrack, parseStateMatch } from "./conntrack-matches.ts";
import {
  type HostMatch,
  parseBridgePorts,
  parseIpsec,
  parseIpvs,
  parseOwner,
  parsePacketType,
  parseReversePath,
  parseSocket,
} from "./host-matches.ts";
import { type MarkMatch, parseConnmark, parseDscp, parseMark, parseTos, type TosMatch } from "./marks.ts";
import { eachOption, type MatchParser, parseRuleOptions, type UnevaluatedMatch } from "./options.ts";
import type { Word } from "./split.ts";
import { parseRecent, parseStatistic, type StatisticMatch } from "./statistic-matches.ts";
import {
  parseDccp,
  parseIcmp,
  parseMultiport,
  parseSctp,
  parseTcp,
  parseUdp,
  type TransportMatch,
} from "./transport-matches.ts";

/** Something about a header between that of IP and the transport's. Holds for no packet that lacks the header. */
interface ExtensionHeaderMatch {
  readonly kind: "extension-header";
  /** Name of the match: `rt`, `frag`, `hbh`, `dst`, `mh`, `ah`, `esp`, `ipcomp`. */
  readonly header: string;
  readonly text: string;
}

/** A note. Holds always. */
interface CommentMatch {
  readonly kind: "comment";
  readonly text: string;
}

/** Counts the packet under a name. Holds always. */
interface CounterMatch {
  readonly kind: "counter";
  readonly name: string;
}

/** Not understood. */
interface UnknownMatch {
  readonly kind: "unknown";
  /** As the rule has it. */
  readonly text: string;
}

/** Any match of a rule. */
export type Match =
  | AddressMatch
  | TransportMatch
  | ConntrackMatch
  | MarkMatch
  | TosMatch
  | StatisticMatch
  | HostMatch
  | ExtensionHeaderMatch
  | CommentMatch
  | CounterMatch
  | UnevaluatedMatch
  | UnknownMatch;

/** What depends on rates, time, sizes, content or hardware. */
const UNEVALUATED: ReadonlySet<string> = new Set([
  "bpf",
  "cgroup",
  "cluster",
  "connbytes",
  "connlabel",
  "connlimit",
  "cpu",
  "devgroup",
  "ecn",
  "eui64",
  "hashlimit",
  "helper",
  "hl",
  "ipv6header",
  "length",
  "limit",
  "mac",
  "osf",
  "quota",
  "rateest",
  "realm",
  "srh",
  "string",
  "tcpmss",
  "time",
  "ttl",
  "u32",
]);

const EXTENSION_HEADERS: ReadonlySet<string> = new Set(["ah", "dst", "esp", "frag", "hbh", "ipcomp", "mh", "rt"]);

const PARSERS: ReadonlyMap<string, MatchParser<Match>> = new Map<string, MatchParser<Match>>([
  ["addrtype", parseAddressTypes],
  ["comment", eachOption(new Map([["--comment", (text: string): Match => ({ kind: "comment", text })]]))],
  ["connmark", parseConnmark],
  ["conntrack", parseConntrack],
  ["dccp", parseDccp],
  ["dscp", parseDscp],
  ["icmp", parseIcmp],
  ["icmp6", parseIcmp],
  ["icmpv6", parseIcmp],
  ["iprange", parseAddressRanges],
  ["ipvs", parseIpvs],
  ["mark", parseMark],
  ["multiport", parseMultiport],
  ["nfacct", eachOption(new Map([["--nfacct-name", (name: string): Match => ({ kind: "counter", name })]]))],
  ["owner", parseOwner],
  ["physdev", parseBridgePorts],
  ["pkttype", parsePacketType],
  ["policy", parseIpsec],
  ["recent", parseRecent],
  ["rpfilter", parseReversePath],
  ["sctp", parseSctp],
  ["set", parseSets],
  ["socket", parseSocket],
  ["state", parseStateMatch],
  ["statistic", parseStatistic],
  ["tcp", parseTcp],
  ["tos", parseTos],
  ["udp", parseUdp],
  ["udplite", parseUdp],
]);

/**
 * Parses one `-m NAME` with its options. `text` is the whole match with `-m`; what cannot be parsed is of kind
 * `unknown`.
 */
export function parseMatch(name: string, words: readonly Word[], text: string): readonly Match[] {
  if (UNEVALUATED.has(name)) return [{ kind: "unevaluated", name, text }];
  if (EXTENSION_HEADERS.has(name)) return [{ kind: "extension-header", header: name, text }];
  const options = parseRuleOptions(words);
  return (options && PARSERS.get(name)?.(options, text)) ?? [{ kind: "unknown", text }];
}
