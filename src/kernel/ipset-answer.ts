// What does ipset say of its sets?

import { type IpSet, SET_TYPES, type SetHeader, type SetType } from "../state/ip-set.ts";
import { sizeOf } from "../state/ipset-text.ts";
import { type EntryParts, printEntry } from "../state/set-entry.ts";
import { addressText } from "./address-bytes.ts";
import { readList } from "./attribute-list.ts";
import { readName, requiredValue } from "./attribute-values.ts";
import { type Attributes, misread, readAttributes } from "./attributes.ts";
import { ATTRIBUTE, DATA, FAMILY, NOMATCH, PORTS, TOP } from "./ipset-numbers.ts";

const TARGET = "ipset";

/** Bytes of nfnetlink's own header: family, version, resource. */
const HEADER = 4;

/** One message about a set, which comes in several when it is large: only the first one says how it is made. */
export interface SetPart {
  readonly name: string;
  /** `other` where it is not made as ours are: of another type or size, or with options. */
  readonly made?: SetHeader | "other";
  readonly entries: readonly EntryParts[];
}

/** From the least to the newest. */
export interface Range {
  readonly least: number;
  readonly newest: number;
}

/** Which versions of the language the kernel speaks. Throws KernelError for anything else. */
export function readProtocols(payload: Buffer): Range {
  return readRange(inside(payload), TOP.protocol);
}

/** Which revisions of a type it has. Throws KernelError for anything else. */
export function readRevisions(payload: Buffer): Range {
  return readRange(inside(payload), TOP.revision);
}

/** Throws KernelError for what cannot be about a set. Shares no memory with the message. */
export function readSetPart(payload: Buffer): SetPart {
  const message = inside(payload);
  const list = message.get(TOP.list);
  return {
    name: readName(value(message, TOP.name)),
    ...(message.has(TOP.type) ? { made: readMade(message) } : {}),
    entries: list === undefined ? [] : readList(list).map(readEntry),
  };
}

/** What an entry must have. */
const NEEDED: Readonly<Record<SetType, readonly (keyof EntryParts)[]>> = {
  "hash:ip": ["address"],
  "hash:ip,port": ["address", "port", "protocol"],
  "hash:ip,port,ip": ["address", "port", "protocol", "second"],
  "hash:ip,port,net": ["address", "port", "protocol", "second", "prefix"],
  "bitmap:port": ["port"],
};

/**
 * The set of which these are all parts; undefined where there are none, or it is not made as ours are. Throws
 * KernelError for an entry that cannot be in it.
 */
export function joinParts(parts: readonly SetPart[]): IpSet | undefined {
  const header = parts[0]?.made;
  if (header === undefined || header === "other") return undefined;
  const entries = new Set<string>();
  for (const part of parts)
    for (const entry of part.entries) entries.add(printEntry(header.type, checked(header, entry)));
  return { ...header, entries };
}

function checked({ type, family }: SetHeader, entry: EntryParts): EntryParts {
  const { address, second, prefix = 0 } = entry;
  const foreign = [address, second].some((text) => text !== undefined && text.includes(":") !== (family === "inet6"));
  const lacks = NEEDED[type].some((part) => entry[part] === undefined);
  if (!foreign && !lacks && prefix <= (family === "inet6" ? 128 : 32)) return entry;
  throw misread(TARGET, `no entry of a set of type ${type}`);
}

function readMade(message: Attributes): SetHeader | "other" {
  const written = readName(value(message, TOP.type));
  const type = SET_TYPES.find((known) => known === written);
  const number = value(message, TOP.family, 1)[0];
  const family = (["inet", "inet6", "none"] as const).find((known) => FAMILY[known] === number);
  const data = readAttributes(value(message, TOP.data));
  if (type === undefined || family === undefined || (type === "bitmap:port") !== (family === "none")) return "other";
  const options = [DATA.timeout, DATA.flags, DATA.markMask, DATA.bitMask, DATA.netmask];
  if (options.some((option) => data.has(option))) return "other";
  const name = readName(value(message, TOP.name));
  if (family === "none") return hasOurPorts(data) ? { name, type, family } : "other";
  return { name, type, family, ...sizeOf(value(data, DATA.maxEntries, 4).readUInt32BE(0)) };
}

function hasOurPorts(data: Attributes): boolean {
  const [from, to] = [value(data, DATA.port, 2).readUInt16BE(0), value(data, DATA.portTo, 2).readUInt16BE(0)];
  return from === PORTS.from && to === PORTS.to;
}

function readEntry(bytes: Buffer): EntryParts {
  const data = readAttributes(bytes);
  const read = <T>(type: number, length: number, number: (bytes: Buffer) => T) =>
    data.has(type) ? number(value(data, type, length)) : undefined;
  const port = read(DATA.port, 2, (bytes) => bytes.readUInt16BE(0));
  const protocol = read(DATA.protocol, 1, (bytes) => bytes.readUInt8(0));
  const prefix = read(DATA.prefix, 1, (bytes) => bytes.readUInt8(0));
  const flags = read(DATA.flags, 4, (bytes) => bytes.readUInt32BE(0)) ?? 0;
  return {
    ...(data.has(DATA.address) ? { address: readAddress(data, DATA.address) } : {}),
    ...(port === undefined ? {} : { port }),
    ...(protocol === undefined ? {} : { protocol }),
    ...(data.has(DATA.second) ? { second: readAddress(data, DATA.second) } : {}),
    ...(prefix === undefined ? {} : { prefix }),
    ...((flags & NOMATCH) !== 0 ? { nomatch: true as const } : {}),
  };
}

function readAddress(data: Attributes, type: number): string {
  const address = readAttributes(value(data, type));
  const [kind, length] = address.has(ATTRIBUTE.ipv4) ? [ATTRIBUTE.ipv4, 4] : [ATTRIBUTE.ipv6, 16];
  return addressText(value(address, kind, length));
}

function readRange(message: Attributes, type: number): Range {
  return { newest: value(message, type, 1).readUInt8(0), least: value(message, TOP.least, 1).readUInt8(0) };
}

function inside(payload: Buffer): Attributes {
  if (payload.length < HEADER) throw misread(TARGET, "a message without a header");
  return readAttributes(payload.subarray(HEADER));
}

function value(attributes: Attributes, type: number, length?: number): Buffer {
  return requiredValue(attributes, { type, target: TARGET, ...(length === undefined ? {} : { lengths: [length] }) });
}
