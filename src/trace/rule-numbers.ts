// How does iptables write numbers, ranges of them, and values with a mask?
import type { NumberRange } from "./match-kinds.ts";

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
export function readNumber(text: string, most: number): number | undefined {
  const number = NUMBER.test(text) ? Number(text) : most + 1;
  return number <= most ? number : undefined;
}

/** `80`, or `80:90` with the separator between. The second may not be below the first. */
export function readRange(text: string, separator: ":" | "-", most: number): NumberRange | undefined {
  const [first = "", second = first, ...more] = text.split(separator);
  const from = readNumber(first, most);
  const to = readNumber(second, most);
  if (from === undefined || to === undefined || from > to || more.length > 0) return undefined;
  return { from, to };
}

/** `0x4000/0x4000`; without the second, all bits. */
export function readMasked(text: string, bits: number): { readonly value: number; readonly mask: number } | undefined {
  const [first = "", second, ...more] = text.split("/");
  const value = readNumber(first, bits);
  const mask = second === undefined ? bits : readNumber(second, bits);
  return value === undefined || mask === undefined || more.length > 0 ? undefined : { value, mask };
}
