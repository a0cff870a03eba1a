// Parses CIDRs. The rest of the program represents a CIDR by its canonical, masked text.
import ipaddr from "ipaddr.js";
import { parseAddress } from "./address.ts";
import type { Family } from "./family.ts";

/** A parsed CIDR. Its canonical text is masked: `10.1.2.3/8` becomes `10.0.0.0/8`. */
export interface Cidr {
  readonly family: Family;
  readonly text: string;
  /** Prefix length, 0 to 32 or 128. */
  readonly prefix: number;
}

/** Parses `address/length`, the address like `parseAddress`. Returns undefined for any other text. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf("/");
  if (slash < 0 || !/^\d{1,5}$/.test(text.slice(slash + 1))) return undefined;
  const written = text.slice(0, slash);
  const address = parseAddress(written);
  if (!address) return undefined;
  const mapped = address.family === "IPv4" && written.includes(":");
  const prefix = Number(text.slice(slash + 1)) - (mapped ? 96 : 0);
  if (prefix < 0 || prefix > (address.family === "IPv4" ? 32 : 128)) return undefined;
  return { family: address.family, text: `${network(address, prefix)}/${prefix}`, prefix };
}

/** Returns whether the canonical CIDR contains the canonical address; false if the families differ. */
export function cidrContains(cidr: string, address: string): boolean {
  const range = ipaddr.parseCIDR(cidr);
  const parsed = ipaddr.parse(address);
  return range[0].kind() === parsed.kind() && parsed.match(range);
}

function network(address: { family: Family; text: string }, prefix: number): string {
  if (address.family === "IPv4") {
    return ipaddr.IPv4.networkAddressFromCIDR(`${address.text}/${prefix}`).toString();
  }
  const masked = ipaddr.IPv6.networkAddressFromCIDR(`${address.text}/${prefix}`);
  return masked.toRFC5952String();
}
