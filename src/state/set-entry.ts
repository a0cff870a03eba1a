// What does one entry of a set say? Between the text of `ipset save` and the parts that the kernel keeps.
import { kernelText, parseAddress } from "../net/address.ts";
import { parseCidr } from "../net/cidr.ts";
import type { SetHeader, SetType } from "./ip-set.ts";

/** What an entry is made of; which parts there are, the type of the set says. */
export interface EntryParts {
  /** Canonical. */
  readonly address?: string;
  /** By its number: 6, 17, 132. */
  readonly protocol?: number;
  readonly port?: number;
  /** The second address, or the network of `hash:ip,port,net`; canonical. */
  readonly second?: string;
  /** Prefix length of that network. */
  readonly prefix?: number;
  /** An exception: what is in this network does not match. Only other hands than ours make some. */
  readonly nomatch?: true;
}

/** Protocols that have ports. Any other is written by its number: `10.0.0.1,47:0`. */
const PROTOCOLS: ReadonlyMap<string, number> = new Map([
  ["tcp", 6],
  ["udp", 17],
  ["sctp", 132],
  ["udplite", 136],
]);

const NAMES: ReadonlyMap<number, string> = new Map([...PROTOCOLS].map(([name, number]) => [number, name]));

const NOMATCH = " nomatch";

/** How many parts an entry has between its commas. */
const PARTS: Readonly<Record<SetType, number>> = {
  "hash:ip": 1,
  "hash:ip,port": 2,
  "hash:ip,port,ip": 3,
  "hash:ip,port,net": 3,
  "bitmap:port": 1,
};

/**
 * Reads an entry as leniently as its writers differ: addresses in any spelling, protocols by name or number, `/32` or
 * none, host bits. Undefined for what is no entry of such a set.
 */
export function parseEntry({ type, family }: Omit<SetHeader, "name">, text: string): EntryParts | undefined {
  const nomatch = text.endsWith(NOMATCH);
  if (nomatch && type !== "hash:ip,port,net") return undefined;
  const [first = "", middle, last, ...more] = (nomatch ? text.slice(0, -NOMATCH.length) : text).split(",");
  const count = 1 + [middle, last].filter((part) => part !== undefined).length + more.length;
  if (count !== PARTS[type]) return undefined;
  if (type === "bitmap:port") return parsePort(first);
  const address = parseIn(family, first);
  if (address === undefined) return undefined;
  const port = middle === undefined ? {} : parseProtocolPort(middle);
  const second = last === undefined ? {} : parseSecond(type, family, last);
  return port && second && { address, ...port, ...second, ...(nomatch ? { nomatch } : {}) };
}

/** The entry as `ipset save` prints it. A part that is missing is left empty. */
export function printEntry(type: SetType, { address = "", protocol = 0, port = 0, ...rest }: EntryParts): string {
  if (type === "bitmap:port") return `${port}`;
  const first = kernelText(address);
  if (type === "hash:ip") return first;
  const head = `${first},${NAMES.get(protocol) ?? protocol}:${port}`;
  if (type === "hash:ip,port") return head;
  const { second = "", prefix, nomatch } = rest;
  const whole = prefix === undefined || prefix === (second.includes(":") ? 128 : 32);
  return `${head},${kernelText(second)}${whole ? "" : `/${prefix}`}${nomatch ? NOMATCH : ""}`;
}

function parsePort(text: string): { readonly port: number } | undefined {
  const port = parseNumber(text, 65_535);
  return port === undefined ? undefined : { port };
}

function parseProtocolPort(text: string): { readonly protocol: number; readonly port: number } | undefined {
  const [name = "", digits = "", ...more] = text.split(":");
  const protocol = PROTOCOLS.get(name.toLowerCase()) ?? parseNumber(name, 255);
  const port = parsePort(digits);
  return protocol === undefined || port === undefined || more.length > 0 ? undefined : { protocol, ...port };
}

function parseSecond(
  type: SetType,
  family: SetHeader["family"],
  text: string,
): Pick<EntryParts, "second" | "prefix"> | undefined {
  const whole = family === "inet6" ? 128 : 32;
  if (!text.includes("/")) {
    const second = parseIn(family, text);
    if (second === undefined) return undefined;
    return type === "hash:ip,port,net" ? { second, prefix: whole } : { second };
  }
  const range = type === "hash:ip,port,net" ? parseCidr(text) : undefined;
  if (range === undefined || (range.family === "IPv6") !== (family === "inet6")) return undefined;
  return { second: range.text.slice(0, range.text.indexOf("/")), prefix: range.prefix };
}

/** An IPv4-mapped address is IPv4 for Kubernetes, so it is in no IPv6 set of ours. */
function parseIn(family: SetHeader["family"], text: string): string | undefined {
  const address = parseAddress(text);
  return address !== undefined && (address.family === "IPv6") === (family === "inet6") ? address.text : undefined;
}

function parseNumber(text: string, most: number): number | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= most ? Number(text) : undefined;
}
