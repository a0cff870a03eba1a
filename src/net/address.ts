// How is an IP address read and printed? Inside the house an address is its canonical text.
import ipaddr from "ipaddr.js";
import type { Family } from "./family.ts";

/** An address that was read: its family and its canonical text (RFC 5952 for IPv6, no leading zeros for IPv4). */
export interface Address {
  readonly family: Family;
  readonly text: string;
}

const DOTTED = /^\d{1,10}(?:\.\d{1,10}){3}$/;

/** Four octets as they are printed. */
const CANONICAL = /^(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/;

/**
 * Reads an address as Kubernetes' lenient parser does: leading zeros of an IPv4 octet are decimal, an IPv4-mapped
 * IPv6 address is IPv4; a zone id, blanks or anything else is no address.
 */
export function parseAddress(text: string): Address | undefined {
  if (CANONICAL.test(text)) return { family: "IPv4", text };
  if (DOTTED.test(text)) return parseDotted(text);
  if (!text.includes(":") || /[%/\s]/.test(text)) return undefined;
  const tail = text.slice(text.lastIndexOf(":") + 1);
  const plain = tail.includes(".") ? hexTail(text, tail) : text;
  if (plain === undefined || !ipaddr.IPv6.isValid(plain)) return undefined;
  const parsed = ipaddr.IPv6.parse(plain);
  return parsed.isIPv4MappedAddress()
    ? { family: "IPv4", text: parsed.toIPv4Address().toString() }
    : { family: "IPv6", text: parsed.toRFC5952String() };
}

/** `10.0.0.1:80` or `[fd00::1]:80`: how the kernel tools and Kubernetes write an address with a port. */
export function hostPort(address: string, port: number): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}

/** The family of a canonical address or CIDR. */
export function familyOf(canonical: string): Family {
  return canonical.includes(":") ? "IPv6" : "IPv4";
}

function parseDotted(text: string): Address | undefined {
  const octets = text.split(".").map(Number);
  if (octets.some((octet) => octet > 255)) return undefined;
  return { family: "IPv4", text: octets.join(".") };
}

// The library takes `::1.2.3.4` for a mapped address, so the dotted tail is written as two groups first.
function hexTail(text: string, tail: string): string | undefined {
  const dotted = DOTTED.test(tail) ? parseDotted(tail) : undefined;
  if (!dotted) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = dotted.text.split(".").map(Number);
  const groups = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  return text.slice(0, text.length - tail.length) + groups;
}

const COMPATIBLE = /^::([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/**
 * The address as the kernel's tools print it. They write the last two groups of an IPv6 address that is zero before
 * them as dotted octets (`::102:304` as `::1.2.3.4`, by inet_ntop); all else is the canonical text.
 */
export function kernelText(canonical: string): string {
  const groups = canonical.startsWith("::") && COMPATIBLE.exec(canonical);
  if (!groups) return canonical;
  const octets = groups.slice(1).flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
  return `::${octets.join(".")}`;
}

/** One address as a range: `10.0.0.1/32`, as the kernel's tools print it. */
export function single(canonical: string): string {
  return `${kernelText(canonical)}/${canonical.includes(":") ? 128 : 32}`;
}
