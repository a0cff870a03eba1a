// Which number has a protocol that a rule calls by its name?
import { readNumber } from "./rule-numbers.ts";

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
export function readProtocol(text: string): number | undefined {
  return NUMBERS.get(text) ?? readNumber(text, 255);
}
