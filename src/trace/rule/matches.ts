// Parses `-m NAME` by the name of the match, and lists all kinds of matches.
import { type AddressMatch, readAddressRanges, readAddressTypes, readSets } from "./address-matches.ts";
import { type ConntrackMatch, readConntrack, readStateMatch } from "./conntrack-matches.ts";
import {
  type HostMatch,
  readBridgePorts,
  readIpsec,
  readIpvs,
  readOwner,
  readPacketType,
  readReversePath,
  readSocket,
} from "./host-matches.ts";
import { type MarkMatch, readConnmark, readDscp, readMark, readTos, type TosMatch } from "./marks.ts";
import { eachOption, type MatchReader, readRuleOptions, type UnjudgedMatch } from "./options.ts";
import type { Word } from "./split.ts";
import { readRecent, readStatistic, type StatisticMatch } from "./statistic-matches.ts";
import {
  readDccp,
  readIcmp,
  readMultiport,
  readSctp,
  readTcp,
  readUdp,
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
  | UnjudgedMatch
  | UnknownMatch;

/** What depends on rates, time, sizes, content or hardware. */
const UNJUDGED: ReadonlySet<string> = new Set([
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

const READERS: ReadonlyMap<string, MatchReader<Match>> = new Map<string, MatchReader<Match>>([
  ["addrtype", readAddressTypes],
  ["comment", eachOption(new Map([["--comment", (text: string): Match => ({ kind: "comment", text })]]))],
  ["connmark", readConnmark],
  ["conntrack", readConntrack],
  ["dccp", readDccp],
  ["dscp", readDscp],
  ["icmp", readIcmp],
  ["icmp6", readIcmp],
  ["icmpv6", readIcmp],
  ["iprange", readAddressRanges],
  ["ipvs", readIpvs],
  ["mark", readMark],
  ["multiport", readMultiport],
  ["nfacct", eachOption(new Map([["--nfacct-name", (name: string): Match => ({ kind: "counter", name })]]))],
  ["owner", readOwner],
  ["physdev", readBridgePorts],
  ["pkttype", readPacketType],
  ["policy", readIpsec],
  ["recent", readRecent],
  ["rpfilter", readReversePath],
  ["sctp", readSctp],
  ["set", readSets],
  ["socket", readSocket],
  ["state", readStateMatch],
  ["statistic", readStatistic],
  ["tcp", readTcp],
  ["tos", readTos],
  ["udp", readUdp],
  ["udplite", readUdp],
]);

/** What a match asks: as many questions as it has. `words` are its options, `text` all of it with `-m` in front. */
export function readMatch(name: string, words: readonly Word[], text: string): readonly Match[] {
  if (UNJUDGED.has(name)) return [{ kind: "unjudged", name, text }];
  if (EXTENSION_HEADERS.has(name)) return [{ kind: "extension-header", header: name, text }];
  const options = readRuleOptions(words);
  return (options && READERS.get(name)?.(options, text)) ?? [{ kind: "unknown", text }];
}
