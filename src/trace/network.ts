// Which addresses does a rule mean by a network, or by an address of any spelling?
import { parseAddress } from "../net/address.ts";
import type { Family } from "../net/family.ts";
import { addressValue, prefixMask } from "./address-value.ts";
import type { Network } from "./match-kinds.ts";

/** An address as the number that its bits are. */
export interface AddressBits {
  readonly family: Family;
  readonly bits: bigint;
}

/** Where IPv6 has the addresses of IPv4. */
const MAPPED = 0xffffn << 32n;

/** An address of IPv4 that is mapped into IPv6 stays one of IPv6, as it is in a packet. */
export function readAddressBits(text: string): AddressBits | undefined {
  const address = parseAddress(text);
  if (address === undefined) return undefined;
  const bits = addressValue(address.text);
  const mapped = address.family === "IPv4" && text.includes(":");
  return mapped ? { family: "IPv6", bits: MAPPED | bits } : { family: address.family, bits };
}

/** `10.0.0.0/8`, `10.0.0.0/255.0.255.0`, `fd00::/ffff:0:ffff::`, or one address. */
export function readNetwork(text: string): Network | undefined {
  const [written = "", length, ...more] = text.split("/");
  const address = readAddressBits(written);
  if (address === undefined || more.length > 0) return undefined;
  const { family, bits } = address;
  const mask = readMask(family, length ?? `${width(family)}`);
  return mask === undefined ? undefined : { family, address: bits & mask, mask };
}

function readMask(family: Family, text: string): bigint | undefined {
  if (/^\d{1,3}$/.test(text)) return Number(text) <= width(family) ? prefixMask(family, Number(text)) : undefined;
  const mask = readAddressBits(text);
  return mask?.family === family ? mask.bits : undefined;
}

function width(family: Family): number {
  return family === "IPv4" ? 32 : 128;
}
