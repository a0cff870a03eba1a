// Which addresses and ports may a translation choose from?
import { parseAddress } from "../net/address.ts";
import { readNetwork } from "./network.ts";
import { LAST_PORT, readNumber, readRange } from "./rule-numbers.ts";
import { plainOptions, type TargetReader } from "./rule-options.ts";
import type { AddressSpan, Target, Translation } from "./target-kinds.ts";

type Span = Pick<Translation, "addresses" | "ports" | "base">;

export const readDnat: TargetReader = (all) => {
  const options = plainOptions(all, ["--to-destination", "--random", "--random-fully", "--persistent"]);
  const span = readSpan(options?.get("--to-destination") ?? "");
  return options && span && { kind: "dnat", ...span, ...readFlags(options), persistent: options.has("--persistent") };
};

export const readSnat: TargetReader = (all) => {
  const options = plainOptions(all, ["--to-source", "--random", "--random-fully", "--persistent"]);
  const span = readSpan(options?.get("--to-source") ?? "");
  return options && span && { kind: "snat", ...span, ...readFlags(options), persistent: options.has("--persistent") };
};

export const readMasquerade: TargetReader = toPorts("masquerade");

export const readRedirect: TargetReader = toPorts("redirect");

export const readNetmap: TargetReader = (all) => {
  const network = readNetwork(plainOptions(all, ["--to"])?.get("--to") ?? "");
  return network && { kind: "netmap", network };
};

function toPorts(kind: "masquerade" | "redirect"): TargetReader {
  return (all): Target | undefined => {
    const options = plainOptions(all, ["--to-ports", "--random", "--random-fully"]);
    const text = options?.get("--to-ports");
    const ports = text === undefined ? undefined : readRange(text, "-", LAST_PORT);
    if (options === undefined || (text !== undefined && ports === undefined)) return undefined;
    return { kind, ...(ports ? { ports } : {}), ...readFlags(options) };
  };
}

function readFlags(options: ReadonlyMap<string, string>) {
  return { random: options.has("--random"), randomFully: options.has("--random-fully") };
}

/** `10.0.0.1-10.0.0.9:80-90/8080`, `[fd00::1]:80`, `fd00::1`, `:80-90`. */
function readSpan(text: string): Span | undefined {
  const [host, service] = splitHost(text);
  const addresses = host === "" ? undefined : readAddresses(host);
  const ports = service === undefined ? {} : readPorts(service);
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

function readAddresses(text: string): AddressSpan | undefined {
  const [first = "", second = first, ...more] = text.split("-");
  const from = parseAddress(first);
  const to = parseAddress(second);
  if (from === undefined || to === undefined || from.family !== to.family || more.length > 0) return undefined;
  return { from: from.text, to: to.text };
}

function readPorts(text: string): Pick<Span, "ports" | "base"> | undefined {
  const [range = "", start, ...more] = text.split("/");
  const ports = readRange(range, "-", LAST_PORT);
  const base = start === undefined ? undefined : readNumber(start, LAST_PORT);
  if (ports === undefined || (start !== undefined && base === undefined) || more.length > 0) return undefined;
  return { ports, ...(base === undefined ? {} : { base }) };
}
