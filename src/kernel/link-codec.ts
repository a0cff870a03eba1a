// How are interfaces and their addresses made, found and deleted in the words of rtnetlink (linux/rtnetlink.h)?
import { familyOf } from "../net/address.ts";
import { FAMILIES, type Family } from "../net/family.ts";
import { addressBytes, addressText } from "./address-bytes.ts";
import { hostUint32, nameBytes, readName, requiredValue } from "./attribute-values.ts";
import { attribute, misread, nested, readAttributes } from "./attributes.ts";
import { FLAG, type Request } from "./netlink-message.ts";

const TYPE = {
  newLink: 16,
  deleteLink: 17,
  getLink: 18,
  newAddress: 20,
  deleteAddress: 21,
  getAddress: 22,
} as const;

/** What a dump of addresses is asked with. */
export const LIST_ADDRESSES = TYPE.getAddress;

/** What a dump of interfaces is asked with, and behind it. */
export const LIST_LINKS = TYPE.getLink;

const LINK = { name: 3, queueLength: 13, info: 18 } as const;
const KIND = 1;
const ADDRESS = { address: 1, local: 2 } as const;

// Bytes of the structures in front of the attributes.
const LINK_HEADER = 16;
const ADDRESS_HEADER = 8;

const FAMILY: Readonly<Record<Family, number>> = { IPv4: 2, IPv6: 10 };
const LENGTH: Readonly<Record<Family, number>> = { IPv4: 4, IPv6: 16 };

const TARGET = "rtnetlink";

/** An interface. */
export interface Link {
  readonly index: number;
  readonly name: string;
  /** `dummy`, `veth`, `bridge`…; empty for a device that is no software. */
  readonly kind: string;
}

/** An address and the interface that has it, by index. */
export interface LinkAddress {
  readonly index: number;
  /** Canonical. */
  readonly address: string;
}

/** An address of an interface. */
export interface LinkRange {
  /** Canonical. */
  readonly address: string;
  readonly prefix: number;
}

/** Makes an interface that stays down, with a queue of no length, as the tools show it without one. */
export function createLinkRequest(name: string, kind: string): Request {
  const payload = Buffer.concat([
    Buffer.alloc(LINK_HEADER),
    attribute(LINK.name, nameBytes(name)),
    attribute(LINK.queueLength, hostUint32(0)),
    nested(LINK.info, attribute(KIND, Buffer.from(kind))),
  ]);
  return { type: TYPE.newLink, flags: FLAG.create | FLAG.excl, payload };
}

export function findLinkRequest(name: string): Request {
  const payload = Buffer.concat([Buffer.alloc(LINK_HEADER), attribute(LINK.name, nameBytes(name))]);
  return { type: TYPE.getLink, flags: 0, payload };
}

/** Deletes an interface and all of its addresses. */
export function deleteLinkRequest(index: number): Request {
  const payload = Buffer.alloc(LINK_HEADER);
  payload.writeInt32LE(index, 4);
  return { type: TYPE.deleteLink, flags: 0, payload };
}

/** Adds a single address, of which its whole length is the network. */
export function addAddressRequest(index: number, address: string): Request {
  return { type: TYPE.newAddress, flags: FLAG.create | FLAG.excl, payload: addressPayload(index, address) };
}

/** Removes a single address; one with another length of its network is another one. */
export function removeAddressRequest(index: number, address: string): Request {
  return { type: TYPE.deleteAddress, flags: 0, payload: addressPayload(index, address) };
}

/** What a dump of the addresses of a family, on all interfaces, asks for. */
export function addressesPayload(family: Family): Buffer {
  const payload = Buffer.alloc(ADDRESS_HEADER);
  payload.writeUInt8(FAMILY[family]);
  return payload;
}

/** What a dump of all interfaces asks for. */
export function linksPayload(): Buffer {
  return Buffer.alloc(LINK_HEADER);
}

/** What a dump of the addresses of all families asks for. */
export function allAddressesPayload(): Buffer {
  return Buffer.alloc(ADDRESS_HEADER);
}

/** Throws KernelError for what is no interface. */
export function readLink(payload: Buffer): Link {
  if (payload.length < LINK_HEADER) throw misread(TARGET, "an interface without a header");
  const link = readAttributes(payload.subarray(LINK_HEADER));
  const info = link.get(LINK.info);
  const kind = info === undefined ? undefined : readAttributes(info).get(KIND);
  return {
    index: payload.readInt32LE(4),
    name: readName(requiredValue(link, { type: LINK.name, target: TARGET })),
    kind: kind === undefined ? "" : readName(kind),
  };
}

/**
 * The address of this interface and family in an answer; undefined where it is of another. Throws KernelError for what
 * is no address.
 */
export function readAddress(payload: Buffer, index: number, family: Family): LinkRange | undefined {
  if (familyIn(payload) !== family || payload.readUInt32LE(4) !== index) return undefined;
  return { address: addressIn(payload, family), prefix: payload.readUInt8(1) };
}

/**
 * The address in an answer, on whatever interface but the one that is left out, whose addresses may be thousands;
 * undefined there, and for families that are none of ours. Throws KernelError for what is no address.
 */
export function readLinkAddress(payload: Buffer, leftOut?: number): LinkAddress | undefined {
  const family = familyIn(payload);
  const index = payload.readUInt32LE(4);
  return family === undefined || index === leftOut ? undefined : { index, address: addressIn(payload, family) };
}

function familyIn(payload: Buffer): Family | undefined {
  if (payload.length < ADDRESS_HEADER) throw misread(TARGET, "an address without a header");
  const number = payload.readUInt8(0);
  return FAMILIES.find((family) => FAMILY[family] === number);
}

function addressIn(payload: Buffer, family: Family): string {
  const attributes = readAttributes(payload.subarray(ADDRESS_HEADER));
  // With a peer it is `address` that is the peer's; IPv6 has `local` only then.
  const type = attributes.has(ADDRESS.local) ? ADDRESS.local : ADDRESS.address;
  return addressText(requiredValue(attributes, { type, lengths: [LENGTH[family]], target: TARGET }));
}

function addressPayload(index: number, address: string): Buffer {
  const family = familyOf(address);
  const bytes = addressBytes(address);
  const header = Buffer.alloc(ADDRESS_HEADER);
  header.writeUInt8(FAMILY[family], 0);
  header.writeUInt8(8 * LENGTH[family], 1);
  header.writeUInt32LE(index, 4);
  return Buffer.concat([header, attribute(ADDRESS.local, bytes), attribute(ADDRESS.address, bytes)]);
}
