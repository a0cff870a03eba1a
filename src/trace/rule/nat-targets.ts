// Parses the targets of the nat table: DNAT, SNAT, MASQUERADE, REDIRECT and NETMAP.

import { parseAddress } from "../../net/address.ts";
import { type Network, parseNetwork } from "./network.ts";
import { LAST_PORT, type NumberRange, parseNumber, parseRange, plainOptions, type TargetParser } from "./options.ts";

/** A span of addresses, canonical; of one address, twice the same. */
export interface AddressSpan {
  readonly from: string;
  readonly to: string;
}

/** What a translation may choose from. No addresses: it stays. No ports: it stays where that is possible. */
interface Translation {
  readonly addresses?: AddressSpan;
  readonly ports?: NumberRange;
  /** Ports move along: the n-th above this one becomes the n-th of the range. */
  readonly base?: number;
  readonly random: boolean;
  readonly randomFully: boolean;
  /** A client keeps its address. */
  readonly persistent: boolean;
}

export interface NatTarget extends Translation {
  readonly kind: "dnat" | "snat";
}

/** The source becomes the address of the interface it leaves by; ports as of SNAT. */
interface MasqueradeTarget extends Omit<Translation, "addresses" | "base" | "persistent"> {
  readonly kind: "masquerade";
}

/** The destination becomes this node: loopback for its own packets, else the first address of the interface. */
interface RedirectTarget extends Omit<Translation, "addresses" | "base" | "persistent"> {
  readonly kind: "redirect";
}

/** Bits of the mask are taken from the network: destination in PREROUTING and OUTPUT, source in the other two. */
export interface NetmapTarget {
  readonly kind: "netmap";
  readonly network: Network;
}

/** Targets of the nat table. */
export type TranslatingTarget = NatTarget | MasqueradeTarget | RedirectTarget | NetmapTarget;

type Span = Pick<Translation, "addresses" | "ports" | "base">;

export const parseDnat: TargetParser<TranslatingTarget> = (all) => {
  const options = plainOptions(all, ["--to-destination", "--random", "--random-fully", "--persistent"]);
  const span = parseSpan(options?.get("--to-destination") ?? "");
  return options && span && { kind: "dnat", ...span, ...parseFlags(options), persistent: options.has("--persistent") };
};

export const parseSnat: TargetParser<TranslatingTarget> = (all) => {
  const options = plainOptions(all, ["--to-source", "--random", "--random-fully", "--persistent"]);
  const span = parseSpan(options?.get("--to-source") ?? "");
  return options && span && { kind: "snat", ...span, ...parseFlags(options), persistent: options.has("--persistent") };
};

export const parseMasquerade: TargetParser<TranslatingTarget> = toPorts("masquerade");

export const parseRedirect: TargetParser<TranslatingTarget> = toPorts("redirect");

export const parseNetmap: TargetParser<TranslatingTarget> = (all) => {
  const network = parseNetwork(plainOptions(all, ["--to"])?.get("--to") ?? "");
  return network && { kind: "netmap", network };
};

function toPorts(kind: "masquerade" | "redirect"): TargetParser<TranslatingTarget> {
  return (all): TranslatingTarget | undefined => {
    const options = plainOptions(all, ["--to-ports", "--random", "--random-fully"]);
    const text = options?.get("--to-ports");
    const ports = text === undefined ? undefined : parseRange(text, "-", LAST_PORT);
    if (options === undefined || (text !== undefined && ports === undefined)) return undefined;
    return { kind, ...(ports ? { ports } : {}), ...parseFlags(options) };
  };
}

function parseFlags(options: ReadonlyMap<string, string>) {
  return { random: options.has("--random"), randomFully: options.has("--random-fully") };
}

/** `10.0.0.1-10.0.0.9:80-90/8080`, `[fd00::1]:80`, `fd00::1`, `:80-90`. */
function parseSpan(text: string): Span | undefined {
  const [host, service] = splitHost(text);
  const addresses = host === "" ? undefined : parseAddresses(host);
  const ports = service === undefined ? {} : parsePorts(service);
  if (text === "" || ports === undefined || (host !== "" && addresses === undefined)) return undefined;
  return { ...(addresses ? { addresses } : {}), ...ports };
}

function splitHost(text: string): readonly [host: string, service?: string] {
  const [bracketed, host = "", service] = /^\[([^\]]+)\](?::(.*))?$/s.exec(text) ?? [];
  if (bracketed !== undefined) return service === undefined ? [host] : [host, service];
  const colon = text.indexOf(":");
  // An address of IPv6 without brackets has more than one colon, and no port.
  if (colon < 0 || text.indexOf(":", colon + 1) >= 0) return [text];
  return [text.slice(0, colon), text.slice(colon + 1)];
}

function parseAddresses(text: string): AddressSpan | undefined {
  const [first = "", second = first, ...more] = text.split("-");
  const from = parseAddress(first);
  const to = parseAddress(second);
  if (from === undefined || to === undefined || from.family !== to.family || more.length > 0) return undefined;
  return { from: from.text, to: to.text };
}

function parsePorts(text: string): Pick<Span, "ports" | "base"> | undefined {
  const [range = "", start, ...more] = text.split("/");
  const ports = parseRange(range, "-", LAST_PORT);
  const base = start === undefined ? undefined : parseNumber(start, LAST_PORT);
  if (ports === undefined || (start !== undefined && base === undefined) || more.length > 0) return undefined;
  return { ports, ...(base === undefined ? {} : { base }) };
}
