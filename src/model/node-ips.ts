// Derives the IP addresses of the node.
import { familyOf, parseAddress } from "../net/address.ts";
import type { Family } from "../net/family.ts";

/** One address of each family, and the family that counts where only one can. */
export interface NodeIPs {
  readonly primary: Family;
  /** Loopback where nothing better is known. */
  readonly ips: Readonly<Record<Family, string>>;
}

const LOOPBACK: Readonly<Record<Family, string>> = { IPv4: "127.0.0.1", IPv6: "::1" };

/**
 * The node's own addresses: the first of the Node object and the first later one of the other family, over loopback;
 * a specified `bindAddress` goes before both. `addresses` are the Node's InternalIPs, then its ExternalIPs.
 */
export function nodeIPsOf(addresses: readonly string[], bindAddress: string): NodeIPs {
  const ips = { ...LOOPBACK };
  for (const address of addresses.toReversed()) ips[familyOf(address)] = address;
  const [first] = addresses;
  const bound = parseAddress(bindAddress);
  if (bound === undefined || isUnspecified(bound.text)) return { primary: familyOf(first ?? LOOPBACK.IPv4), ips };
  return { primary: bound.family, ips: { ...ips, [bound.family]: bound.text } };
}

/** Is the canonical address in 127.0.0.0/8, or `::1`? */
export function isLoopback(address: string): boolean {
  return address === LOOPBACK.IPv6 || address.startsWith("127.");
}

function isUnspecified(address: string): boolean {
  return address === "0.0.0.0" || address === "::";
}
