// Which reader understands the options of `-m NAME`?
import { readAddressRanges, readAddressTypes, readSets } from "./address-matches.ts";
import { readRecent, readStatistic } from "./chance-matches.ts";
import { readConntrack, readStateMatch } from "./conntrack-matches.ts";
import {
  readBridgePorts,
  readIpsec,
  readIpvs,
  readOwner,
  readPacketType,
  readReversePath,
  readSocket,
} from "./host-matches.ts";
import { readConnmark, readDscp, readMark, readTos } from "./mark-matches.ts";
import type { Match } from "./match-kinds.ts";
import { eachOption, type MatchReader, readRuleOptions } from "./rule-options.ts";
import { readDccp, readIcmp, readMultiport, readSctp, readTcp, readUdp } from "./transport-matches.ts";
import type { Word } from "./words.ts";

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

const READERS: ReadonlyMap<string, MatchReader> = new Map<string, MatchReader>([
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
