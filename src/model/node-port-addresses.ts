// Derives the node addresses that accept node port connections (--nodeport-addresses).
import { cidrContains, parseCidr } from "../net/cidr.ts";
import { FAMILIES, type Family } from "../net/family.ts";
import type { InterfaceAddress } from "../state/node-facts.ts";
import { isLoopback, type NodeIPs } from "./node-ips.ts";

/** Canonical CIDRs of one family, or no limit. */
export type NodePortRanges = "all" | readonly string[];

/**
 * What `nodePortAddresses` says for one family. `primary` alone stands for the node's own addresses that are not
 * loopback. No CIDR of the family means no limit (so a list of the other family, or `primary` on a node without an
 * address, leaves this one open), and so does a zero prefix anywhere.
 */
export function nodePortRangesOf(entries: readonly string[], nodeIPs: NodeIPs, family: Family): NodePortRanges {
  const own = expandPrimary(entries, nodeIPs)
    .flatMap((text) => parseCidr(text) ?? [])
    .filter((cidr) => cidr.family === family);
  return own.length === 0 || own.some(({ prefix }) => prefix === 0) ? "all" : own.map(({ text }) => text);
}

/** The entries, with the node's own addresses in place of the word `primary`; none where none is known. */
export function expandPrimary(entries: readonly string[], nodeIPs: NodeIPs): readonly string[] {
  return isPrimary(entries) ? ownRanges(nodeIPs) : entries;
}

/**
 * Does a nodePort answer at 127.0.0.1? Only for IPv4, where the option asks for it and the ranges reach into
 * 127.0.0.0/8: kube-proxy turns it off silently otherwise.
 */
export function servesLocalhost(wanted: boolean, ranges: NodePortRanges, family: Family): boolean {
  return wanted && family === "IPv4" && (ranges === "all" || ranges.some(reachesLoopback));
}

/**
 * Every distinct address of the node's interfaces inside the ranges, sorted. Loopback is among them only while
 * nodePorts answer at localhost.
 */
export function nodePortAddressesOf(
  addresses: readonly InterfaceAddress[],
  ranges: NodePortRanges,
  localhost: boolean,
): "all" | readonly string[] {
  if (ranges === "all") return "all";
  const inside = addresses
    .map(({ address }) => address)
    .filter((address) => localhost || !isLoopback(address))
    .filter((address) => ranges.some((range) => cidrContains(range, address)));
  return [...new Set(inside)].sort();
}

function isPrimary(entries: readonly string[]): boolean {
  return entries.length === 1 && entries[0] === "primary";
}

function ownRanges({ ips }: NodeIPs): readonly string[] {
  return FAMILIES.filter((family) => !isLoopback(ips[family])).map(
    (family) => `${ips[family]}/${family === "IPv4" ? 32 : 128}`,
  );
}

function reachesLoopback(range: string): boolean {
  return range.startsWith("127.") || cidrContains(range, "127.0.0.0");
}
