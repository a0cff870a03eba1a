// Converts IP addresses to octal digits, and digit prefixes to CIDRs, for the dispatch tree of the Indexed layout.
import ipaddr from "ipaddr.js";
import { kernelText } from "./address.ts";
import type { Family } from "./family.ts";

/** Digits of a whole address. The first digit has two bits, every other one three. */
const LENGTH: Readonly<Record<Family, number>> = { IPv4: 11, IPv6: 43 };

/** Returns the octal digits of a canonical address. */
export function addressDigits(canonical: string): string {
  const family = canonical.includes(":") ? "IPv6" : "IPv4";
  const bytes = ipaddr.parse(canonical).toByteArray();
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return BigInt(`0x${hex}`).toString(8).padStart(LENGTH[family], "0");
}

/** A CIDR. */
export interface DigitRange {
  /** The first address, as the kernel's tools print it. */
  readonly address: string;
  /** Prefix length. */
  readonly prefix: number;
}

/** Returns the CIDR of all addresses that begin with these digits. At least one digit is required. */
export function rangeOfDigits(digits: string, family: Family): DigitRange {
  const value = BigInt(`0o${digits.padEnd(LENGTH[family], "0")}`);
  const hex = value.toString(16).padStart(family === "IPv4" ? 8 : 32, "0");
  const bytes = hex.match(/../g)?.map((byte) => Number.parseInt(byte, 16)) ?? [];
  const address = ipaddr.fromByteArray(bytes);
  const text = address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString();
  return { address: kernelText(text), prefix: 3 * digits.length - 1 };
}
