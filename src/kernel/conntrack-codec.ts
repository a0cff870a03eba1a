// Encodes requests to list and delete UDP conntrack entries and decodes the answers (linux/netfilter/nfnetlink_conntrack.h).
import { hostPort } from "../net/address.ts";
import type { Family } from "../net/family.ts";
import type { FlowEnd, FlowSearch, UdpFlow } from "../state/udp-flow.ts";
import { addressBytes, addressText } from "./address-bytes.ts";
import { type Attributes, attribute, misread, nested, readAttributes } from "./attributes.ts";
import type { Request } from "./netlink-message.ts";

// Conntrack is nfnetlink subsystem 1.
export const GET = 1 * 256 + 1;
const DELETE = 1 * 256 + 2;

const UDP = 17;

/** Bytes of nfnetlink's own header in front of the attributes: family, version, resource. */
const NFNETLINK = 4;

const FAMILY: Readonly<Record<Family, number>> = { IPv4: 2, IPv6: 10 };
const LENGTH: Readonly<Record<Family, number>> = { IPv4: 4, IPv6: 16 };

// Attributes of an entry, of a tuple, of its parts, and of a filter. Their numbers are in network byte order, but for
// the flags of a filter, which are in that of the host.
const ENTRY = { original: 1, reply: 2, id: 12, zone: 18, filter: 25 } as const;
const TUPLE = { ip: 1, protocol: 2, zone: 3 } as const;
const ADDRESS = {
  IPv4: { source: 1, destination: 2 },
  IPv6: { source: 3, destination: 4 },
} as const;
const PROTOCOL = { number: 1, sourcePort: 2, destinationPort: 3 } as const;
const ORIGINAL_FLAGS = 1;
const FLAG = { destination: 0x02, protocol: 0x08, destinationPort: 0x20 } as const;

/**
 * What a dump asks for: UDP flows of the family, all or those to one destination. What comes is to be looked at again:
 * kernels before 5.8 do not know filters and give every flow of every protocol, and an address of IPv6 is not asked
 * for, since kernels that know filters take it for the one address that is not wanted.
 */
export function searchPayload(family: Family, search?: FlowSearch): Uint8Array {
  const { address, port } = search ?? {};
  const protocol = [attribute(PROTOCOL.number, Uint8Array.of(UDP))];
  const tuple: Uint8Array[] = [];
  let flags: number = FLAG.protocol;
  if (port !== undefined) {
    protocol.push(attribute(PROTOCOL.destinationPort, uint16(port)));
    flags |= FLAG.destinationPort;
  }
  if (address !== undefined && family === "IPv4") {
    tuple.push(nested(TUPLE.ip, attribute(ADDRESS.IPv4.destination, addressBytes(address))));
    flags |= FLAG.destination;
  }
  const wanted = nested(ENTRY.original, ...tuple, nested(TUPLE.protocol, ...protocol));
  const hostOrder = Buffer.alloc(4);
  hostOrder.writeUInt32LE(flags);
  return Buffer.concat([header(family), wanted, nested(ENTRY.filter, attribute(ORIGINAL_FLAGS, hostOrder))]);
}

/**
 * Returns the UDP conntrack entry of this family in a message; undefined for other protocols and families, and for
 * entries with a conntrack zone (CTA_ZONE, or CTA_TUPLE_ZONE in one direction): in another zone the same addresses
 * belong to another network. Shares no memory with the message. Throws KernelError for a malformed message.
 */
export function readFlow(payload: Buffer, family: Family): UdpFlow | undefined {
  if (payload.length < NFNETLINK) throw misread("conntrack", "a message without a header");
  if (payload[0] !== FAMILY[family]) return undefined;
  const entry = readAttributes(payload.subarray(NFNETLINK));
  if (entry.has(ENTRY.zone)) return undefined;
  const tuple = required(entry, ENTRY.reply);
  const original = readTuple(required(entry, ENTRY.original), family);
  const reply = readTuple(tuple, family);
  if (original === undefined || reply === undefined) return undefined;
  return {
    family,
    client: original.source,
    destination: original.destination,
    server: reply.source,
    id: required(entry, ENTRY.id, 4).readUInt32BE(0),
    tuple: Uint8Array.from(tuple),
  };
}

/** Is it one of those that were searched? */
export function isFound({ destination }: UdpFlow, { address, port }: FlowSearch): boolean {
  return destination.port === port && (address === undefined || destination.address === address);
}

/**
 * Deletes exactly this entry, and none that took its place: the kernel finds it by the way back, which names the
 * endpoint, and its number stands for the first direction and for the entry's place in memory. (By the first direction
 * a new flow of the same client would be found, and it can have the same number.) Throws KernelError for a flow without
 * a tuple: the kernel takes a request without one for the wish to delete everything.
 */
export function deleteRequest({ family, tuple, id }: UdpFlow): Request {
  if (readTuple(Buffer.from(tuple), family) === undefined) throw misread("conntrack", "a flow without a tuple");
  const number = Buffer.alloc(4);
  number.writeUInt32BE(id);
  const payload = Buffer.concat([header(family), nested(ENTRY.reply, tuple), attribute(ENTRY.id, number)]);
  return { type: DELETE, flags: 0, payload };
}

interface Ends {
  readonly source: FlowEnd;
  readonly destination: FlowEnd;
}

/** Returns both ends of one direction; undefined where the protocol is not UDP or the direction has a zone. */
function readTuple(bytes: Buffer, family: Family): Ends | undefined {
  const tuple = readAttributes(bytes);
  if (tuple.has(TUPLE.zone)) return undefined;
  const protocol = readAttributes(required(tuple, TUPLE.protocol));
  if (required(protocol, PROTOCOL.number, 1)[0] !== UDP) return undefined;
  const addresses = readAttributes(required(tuple, TUPLE.ip));
  const { source, destination } = ADDRESS[family];
  const end = (ip: number, portType: number): FlowEnd => {
    const address = addressText(required(addresses, ip, LENGTH[family]));
    const port = required(protocol, portType, 2).readUInt16BE(0);
    return { address, port, text: hostPort(address, port) };
  };
  return { source: end(source, PROTOCOL.sourcePort), destination: end(destination, PROTOCOL.destinationPort) };
}

function required(attributes: Attributes, type: number, length?: number): Buffer {
  const value = attributes.get(type);
  if (value === undefined) throw misread("conntrack", `attribute ${type} is missing`);
  if (length === undefined || value.length === length) return value;
  throw misread("conntrack", `attribute ${type} has ${value.length} bytes instead of ${length}`);
}

function header(family: Family): Uint8Array {
  return Uint8Array.of(FAMILY[family], 0, 0, 0);
}

function uint16(value: number): Uint8Array {
  return Uint8Array.of(value >> 8, value & 255);
}
