// Decodes ipset's netlink answers about sets (linux/netfilter/ipset/ip_set.h).

import { type IpSet, type OtherSet, SET_TYPES, type SetHeader, type SetType } from "../state/ip-set.ts";
import { rangeOf, sizeOf } from "../state/ipset-text.ts";
import { type EntryParts, printEntry } from "../state/set-entry.ts";
import { addressText } from "./address-bytes.ts";
import { readList } from "./attribute-list.ts";
import { readName, requiredValue } from "./attribute-values.ts";
import { type Attributes, misread, readAttributes } from "./attributes.ts";
import { ATTRIBUTE, DATA, FAMILY, NOMATCH, SET_FLAGS, TOP } from "./ipset-numbers.ts";

const TARGET = "ipset";

/** Bytes of nfnetlink's own header: family, version, resource. */
const HEADER = 4;

/** One message about a set, which comes in several when it is large: only the first one says how it is made. */
export interface SetPart {
  readonly name: string;
  readonly made?: SetHeader | OtherSet;
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

/** The entries of a set whose header this is; 0 for sets that are none of ours, and for one that is being filled. */
export function readEntryCount(payload: Buffer): number {
  const message = inside(payload);
  const name = readName(value(message, TOP.name));
  if (!name.startsWith("KUBE-") || name.endsWith("-SCRATCH") || !message.has(TOP.data)) return 0;
  const data = readAttributes(value(message, TOP.data));
  return data.has(DATA.elements) ? value(data, DATA.elements, 4).readUInt32BE(0) : 0;
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
 * The set of which these are all parts, without entries where its type or options are none of ours; undefined where
 * there are no parts. Throws KernelError for an entry that cannot be in it.
 */
export function joinParts(parts: readonly SetPart[]): IpSet | OtherSet | undefined {
  const header = parts[0]?.made;
  if (header === undefined || "options" in header) return header;
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

function readMade(message: Attributes): SetHeader | OtherSet {
  const name = readName(value(message, TOP.name));
  const written = readName(value(message, TOP.type));
  const number = value(message, TOP.family, 1)[0];
  const family = (["inet", "inet6", "none"] as const).find((known) => FAMILY[known] === number);
  const data = readAttributes(value(message, TOP.data));
  const options = readOptions(data);
  const type = SET_TYPES.find((known) => known === written);
  const fits = type !== undefined && family !== undefined && (type === "bitmap:port") === (family === "none");
  if (!fits || options.length > 0) return { name, type: written, family: family ?? `${number}`, options };
  if (family === "none") return { name, type, family, ...rangeOf(portsIn(data)) };
  return { name, type, family, ...sizeOf(value(data, DATA.maxEntries, 4).readUInt32BE(0)) };
}

/** Options of a set that change what it matches or does; we set none of them. */
function readOptions(data: Attributes): readonly string[] {
  const flags = data.has(DATA.flags) ? value(data, DATA.flags, 4).readUInt32BE(0) : 0;
  return [
    ...(data.has(DATA.timeout) ? [`timeout ${value(data, DATA.timeout, 4).readUInt32BE(0)}`] : []),
    ...SET_FLAGS.flatMap(([bit, option]) => ((flags & bit) === 0 ? [] : [option])),
    ...MASKS.flatMap(([type, option]) => (data.has(type) ? [option] : [])),
  ];
}

const MASKS = [
  [DATA.markMask, "markmask"],
  [DATA.bitMask, "bitmask"],
  [DATA.netmask, "netmask"],
] as const;

function portsIn(data: Attributes): string {
  return [DATA.port, DATA.portTo].map((type) => value(data, type, 2).readUInt16BE(0)).join("-");
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
