// Parses and prints IP addresses. The rest of the program represents an address by its canonical text.
import ipaddr from "ipaddr.js";
import type { Family } from "./family.ts";

/** A parsed address: its family and its canonical text (RFC 5952 for IPv6, no leading zeros for IPv4). */
export interface Address {
  readonly family: Family;
  readonly text: string;
}

const DOTTED = /^\d{1,10}(?:\.\d{1,10}){3}$/;

/** Four octets without leading zeros. */
const CANONICAL = /^(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/;

/**
 * Parses an address like Kubernetes' `ParseIPSloppy` (k8s.io/utils/net): IPv4 octets with leading zeros are decimal, an
 * IPv4-mapped IPv6 address is IPv4. Returns undefined for any other text, also with a zone id or blanks.
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

/** Prints `10.0.0.1:80` or `[fd00::1]:80`, as the kernel's tools and Kubernetes do. */
export function hostPort(address: string, port: number): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}

/** Returns the family of a canonical address or CIDR. */
export function familyOf(canonical: string): Family {
  return canonical.includes(":") ? "IPv6" : "IPv4";
}

function parseDotted(text: string): Address | undefined {
  const octets = text.split(".").map(Number);
  if (octets.some((octet) => octet > 255)) return undefined;
  return { family: "IPv4", text: octets.join(".") };
}

// ipaddr.js parses `::1.2.3.4` as a mapped address, so the dotted tail is first converted to two groups.
function hexTail(text: string, tail: string): string | undefined {
  const dotted = DOTTED.test(tail) ? parseDotted(tail) : undefined;
  if (!dotted) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = dotted.text.split(".").map(Number);
  const groups = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  return text.slice(0, text.length - tail.length) + groups;
}

const COMPATIBLE = /^::([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/**
 * Prints an address like the kernel's tools. By inet_ntop they print an IPv6 address whose first six groups are zero with
 * dotted octets (`::102:304` as `::1.2.3.4`). Every other address is printed in canonical text.
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

/** Prints a single address as a CIDR like the kernel's tools: `10.0.0.1/32`. */
export function single(canonical: string): string {
  return `${kernelText(canonical)}/${canonical.includes(":") ? 128 : 32}`;
}
