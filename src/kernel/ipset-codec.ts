// Encodes requests to change and to list ipsets (linux/netfilter/ipset/ip_set.h).

import type { SetHeader, SetType } from "../state/ip-set.ts";
import { HASH } from "../state/ipset-text.ts";
import type { EntryParts } from "../state/set-entry.ts";
import { addressBytes, writeAddress } from "./address-bytes.ts";
import { nameBytes, networkUint16, networkUint32 } from "./attribute-values.ts";
import { attribute, misread, nested } from "./attributes.ts";
import {
  ATTRIBUTE,
  COMMAND,
  DATA,
  FAMILY,
  LIST_HEADER,
  NETWORK_ORDER,
  PORTS,
  SUBSYSTEM,
  TOP,
} from "./ipset-numbers.ts";
import type { Request } from "./netlink-message.ts";

/** The version of the language; kernels from 4.20 on speak it. */
const PROTOCOL_VERSION = 7;

/** Newest revision of each type that is ours to ask for. An older kernel is asked for its own newest. */
export const NEWEST_REVISION: Readonly<Record<SetType, number>> = {
  "hash:ip": 6,
  "hash:ip,port": 7,
  "hash:ip,port,ip": 6,
  "hash:ip,port,net": 8,
  "bitmap:port": 3,
};

/** So many entries in one request never reach the 65535 bytes that its list may have. */
export const MOST_ENTRIES: Readonly<Record<SetHeader["family"], number>> = { inet: 1000, inet6: 600, none: 1000 };

/** Bytes before a value: those of the list's item, of an address with what it is in, of anything else, and padded. */
const BEFORE = { item: 4, address: 8, value: 4 } as const;
const WHOLE = 8;

const VERSION = attribute(TOP.protocol, Uint8Array.of(PROTOCOL_VERSION));

/** Asks which versions of the language the kernel speaks. */
export function protocolRequest(): Request {
  return request(COMMAND.protocol, "inet", []);
}

/** Asks which revisions of a type the kernel has. */
export function typeRequest({ type, family }: Omit<SetHeader, "name">): Request {
  return request(COMMAND.type, family, [typeName(type), familyOf(family)]);
}

/** Makes a set; as good where it is there, made the same way. */
export function createRequest({ name, type, family, maxEntries }: SetHeader, revision: number): Request {
  const size = [
    attribute(NETWORK_ORDER | DATA.hashSize, networkUint32(HASH.size)),
    attribute(NETWORK_ORDER | DATA.maxEntries, networkUint32(maxEntries ?? HASH.maxEntries)),
  ];
  const range = [
    attribute(NETWORK_ORDER | DATA.port, networkUint16(PORTS.from)),
    attribute(NETWORK_ORDER | DATA.portTo, networkUint16(PORTS.to)),
  ];
  return request(COMMAND.create, family, [
    setName(name),
    typeName(type),
    attribute(TOP.revision, Uint8Array.of(revision)),
    familyOf(family),
    nested(TOP.data, ...(type === "bitmap:port" ? range : size)),
  ]);
}

/** Deletes a set; as good where there is none. */
export function destroyRequest(name: string): Request {
  return request(COMMAND.destroy, "inet", [setName(name)]);
}

/** Two sets of one type change names. */
export function swapRequest(name: string, other: string): Request {
  // The second name stands where a type's would.
  return request(COMMAND.swap, "inet", [setName(name), attribute(TOP.type, nameBytes(other))]);
}

/**
 * Adds or removes these entries, of which there may be as many as `MOST_ENTRIES` says; as good where one is there, or
 * gone. The kernel stops at the first one that it refuses: those before it are done, those behind it are not.
 */
export function entryRequest(
  kind: "add" | "remove",
  { name, family }: SetHeader,
  entries: readonly EntryParts[],
): Request {
  const list = entriesData(entries);
  // The line in front is where the kernel would write the number of the one it refuses; without it, it takes no list.
  return request(COMMAND[kind], family, [setName(name), line(1), nested(TOP.list, ...list)]);
}

/** What a dump of one set asks for. */
export function listPayload(name: string): Buffer {
  return payload("inet", [setName(name)]);
}

/** Asks for the headers of all sets. */
export function headersPayload(): Buffer {
  return payload("inet", [attribute(NETWORK_ORDER | TOP.flags, networkUint32(LIST_HEADER))]);
}

/** The entries of a set have the same parts as a rule, so each is a copy of the one before, where they do. */
function entriesData(entries: readonly EntryParts[]): readonly Buffer[] {
  let form: { readonly entry: EntryParts; readonly bytes: Buffer } | undefined;
  return entries.map((entry, index) => {
    const bytes = form && areAlike(form.entry, entry) ? copyFor(entry, form.bytes) : entryData(entry);
    bytes.writeUInt32BE(index + 1, bytes.length - 4);
    form = { entry, bytes };
    return bytes;
  });
}

function areAlike(one: EntryParts, other: EntryParts): boolean {
  return (
    one.address?.includes(":") === other.address?.includes(":") &&
    (one.port === undefined) === (other.port === undefined) &&
    (one.protocol === undefined) === (other.protocol === undefined) &&
    one.second?.includes(":") === other.second?.includes(":") &&
    (one.prefix === undefined) === (other.prefix === undefined)
  );
}

/** Its line, which is the last, is yet to be written. */
function entryData({ address, port, protocol, second, prefix }: EntryParts): Buffer {
  const parts: Buffer[] = [];
  if (address !== undefined) parts.push(addressData(DATA.address, address));
  if (port !== undefined) parts.push(attribute(NETWORK_ORDER | DATA.port, networkUint16(port)));
  if (protocol !== undefined) parts.push(attribute(DATA.protocol, Uint8Array.of(protocol)));
  if (second !== undefined) parts.push(addressData(DATA.second, second));
  if (prefix !== undefined) parts.push(attribute(DATA.prefix, Uint8Array.of(prefix)));
  return nested(TOP.data, ...parts, line(0));
}

function copyFor({ address, port, protocol, second, prefix }: EntryParts, form: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(form.length);
  bytes.set(form);
  let at: number = BEFORE.item;
  if (address !== undefined) at = writeAddress(bytes, at + BEFORE.address, address);
  if (port !== undefined) {
    bytes.writeUInt16BE(port, at + BEFORE.value);
    at += WHOLE;
  }
  if (protocol !== undefined) {
    bytes.writeUInt8(protocol, at + BEFORE.value);
    at += WHOLE;
  }
  if (second !== undefined) at = writeAddress(bytes, at + BEFORE.address, second);
  if (prefix !== undefined) bytes.writeUInt8(prefix, at + BEFORE.value);
  return bytes;
}

function addressData(type: number, address: string): Buffer {
  const kind = address.includes(":") ? ATTRIBUTE.ipv6 : ATTRIBUTE.ipv4;
  return nested(type, attribute(NETWORK_ORDER | kind, addressBytes(address)));
}

function line(number: number): Buffer {
  return attribute(NETWORK_ORDER | DATA.line, networkUint32(number));
}

/** Throws KernelError without a name: the kernel takes that for all sets. */
function setName(name: string): Buffer {
  if (name === "") throw misread("ipset", "a set without a name");
  return attribute(TOP.name, nameBytes(name));
}

function typeName(type: SetType): Buffer {
  return attribute(TOP.type, nameBytes(type));
}

function familyOf(family: SetHeader["family"]): Buffer {
  return attribute(TOP.family, Uint8Array.of(FAMILY[family]));
}

function request(command: number, family: SetHeader["family"], attributes: readonly Buffer[]): Request {
  return { type: SUBSYSTEM | command, flags: 0, payload: payload(family, attributes) };
}

/** The family in front of a message says nothing to ipset; a set without one goes by that of IPv4, as all tools do. */
function payload(family: SetHeader["family"], attributes: readonly Buffer[]): Buffer {
  const header = Uint8Array.of(family === "none" ? FAMILY.inet : FAMILY[family], 0, 0, 0);
  return Buffer.concat([header, VERSION, ...attributes]);
}
