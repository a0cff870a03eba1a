// Which row of octal digits is an address, and which range is the beginning of one?
import ipaddr from "ipaddr.js";
import { kernelText } from "./address.ts";
import type { Family } from "./family.ts";

/** Digits of a whole address. The first one has two bits, all others three. */
const LENGTH: Readonly<Record<Family, number>> = { IPv4: 11, IPv6: 43 };

/** The octal digits of a canonical address. */
export function addressDigits(canonical: string): string {
  const family = canonical.includes(":") ? "IPv6" : "IPv4";
  const bytes = ipaddr.parse(canonical).toByteArray();
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return BigInt(`0x${hex}`).toString(8).padStart(LENGTH[family], "0");
}

/** A range of addresses. */
export interface DigitRange {
  /** Its first address, as the kernel's tools print it. */
  readonly address: string;
  /** Prefix length. */
  readonly prefix: number;
}

/** All addresses that begin with these digits, of which there must be one. */
export function rangeOfDigits(digits: string, family: Family): DigitRange {
  const value = BigInt(`0o${digits.padEnd(LENGTH[family], "0")}`);
  const hex = value.toString(16).padStart(family === "IPv4" ? 8 : 32, "0");
  const bytes = hex.match(/../g)?.map((byte) => Number.parseInt(byte, 16)) ?? [];
  const address = ipaddr.fromByteArray(bytes);
  const text = address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString();
  return { address: kernelText(text), prefix: 3 * digits.length - 1 };
}
