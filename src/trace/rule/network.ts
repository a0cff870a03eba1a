// Parses networks and converts addresses to numbers that can be masked and compared.
import { familyOf, parseAddress } from "../../net/address.ts";
import type { Family } from "../../net/family.ts";

/** All addresses that are alike in the bits of the mask. The mask need not be a prefix. */
export interface Network {
  readonly family: Family;
  /** As a number, masked. */
  readonly address: bigint;
  readonly mask: bigint;
}

/** A canonical address as the number that its bits are. */
export function addressValue(canonical: string): bigint {
  return familyOf(canonical) === "IPv4" ? valueOfOctets(canonical) : valueOfGroups(canonical);
}

/** Is the address alike to the network in the bits of its mask? Never across families. */
export function networkHolds(
  { family, address, mask }: Network,
  asked: { readonly family: Family; readonly bits: bigint },
): boolean {
  return family === asked.family && (asked.bits & mask) === address;
}

/** The mask of a prefix length. */
export function prefixMask(family: Family, prefix: number): bigint {
  const bits = family === "IPv4" ? 32 : 128;
  return ((1n << BigInt(prefix)) - 1n) << BigInt(bits - prefix);
}

/** The canonical address of a number. */
export function addressText(family: Family, value: bigint): string {
  const size = family === "IPv4" ? 8n : 16n;
  const parts = Array.from({ length: family === "IPv4" ? 4 : 8 }, (_, at) => value >> (size * BigInt(at)));
  const written = parts.reverse().map((part) => (part & ((1n << size) - 1n)).toString(family === "IPv4" ? 10 : 16));
  const text = written.join(family === "IPv4" ? "." : ":");
  const address = parseAddress(text);
  // An address of IPv4 that is mapped into IPv6 would be read as one of IPv4.
  return address?.family === family ? address.text : text;
}

function valueOfOctets(text: string): bigint {
  return BigInt(text.split(".").reduce((value, octet) => value * 256 + Number(octet), 0));
}

function valueOfGroups(text: string): bigint {
  const [head = "", tail] = text.split("::");
  const [before, after] = [groupsOf(head), groupsOf(tail ?? "")];
  const left = before.reduce((value, group) => (value << 16n) | group, 0n);
  const right = after.reduce((value, group) => (value << 16n) | group, 0n);
  return tail === undefined ? left : (left << BigInt(16 * (8 - before.length))) | right;
}

function groupsOf(text: string): readonly bigint[] {
  return text === "" ? [] : text.split(":").map((group) => BigInt(`0x${group}`));
}

/** An address as the number that its bits are. */
export interface AddressBits {
  readonly family: Family;
  readonly bits: bigint;
}

/** Where IPv6 has the addresses of IPv4. */
const MAPPED = 0xffffn << 32n;

/** An address of IPv4 that is mapped into IPv6 stays one of IPv6, as it is in a packet. */
export function parseAddressBits(text: string): AddressBits | undefined {
  const address = parseAddress(text);
  if (address === undefined) return undefined;
  const bits = addressValue(address.text);
  const mapped = address.family === "IPv4" && text.includes(":");
  return mapped ? { family: "IPv6", bits: MAPPED | bits } : { family: address.family, bits };
}

/** `10.0.0.0/8`, `10.0.0.0/255.0.255.0`, `fd00::/ffff:0:ffff::`, or one address. */
export function parseNetwork(text: string): Network | undefined {
  const [written = "", length, ...more] = text.split("/");
  const address = parseAddressBits(written);
  if (address === undefined || more.length > 0) return undefined;
  const { family, bits } = address;
  const mask = parseMask(family, length ?? `${width(family)}`);
  return mask === undefined ? undefined : { family, address: bits & mask, mask };
}

function parseMask(family: Family, text: string): bigint | undefined {
  if (/^\d{1,3}$/.test(text)) return Number(text) <= width(family) ? prefixMask(family, Number(text)) : undefined;
  const mask = parseAddressBits(text);
  return mask?.family === family ? mask.bits : undefined;
}

function width(family: Family): number {
  return family === "IPv4" ? 32 : 128;
}
