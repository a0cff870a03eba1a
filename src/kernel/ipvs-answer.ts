// Decodes the answers of IPVS about virtual and real servers (`linux/ip_vs.h`).
import type { Family } from "../net/family.ts";
import { PROTOCOLS } from "../net/protocol.ts";
import type { ServerSettings } from "../state/server-change.ts";
import type { BusyServer } from "../state/virtual-server.ts";
import { addressText } from "./address-bytes.ts";
import { readName, requiredValue } from "./attribute-values.ts";
import { type Attributes, misread, readAttributes } from "./attributes.ts";
import { readGeneric } from "./generic-netlink.ts";
import { FAMILY, FLAG, METHODS, PROTOCOL, REAL, SERVER, TOP } from "./ipvs-numbers.ts";

const TARGET = "ipvs";

/** The bits of a method that say how. */
const METHOD_MASK = 0x7;

/**
 * The virtual server in an answer; undefined where it is by firewall mark, or of a protocol that no Service
 * has: those are other software's. Throws KernelError for what cannot be one.
 */
export function readServer(payload: Buffer): ServerSettings | undefined {
  const server = inside(payload, TOP.server);
  const family = readFamily(value(server, SERVER.family, 2));
  if (server.has(SERVER.mark)) return undefined;
  const number = value(server, SERVER.protocol, 2).readUInt16LE(0);
  const protocol = PROTOCOLS.find((known) => PROTOCOL[known] === number);
  if (protocol === undefined) return undefined;
  return {
    address: readAddress(server, SERVER.address, family),
    protocol,
    port: value(server, SERVER.port, 2).readUInt16BE(0),
    scheduler: readName(value(server, SERVER.scheduler)),
    ...readFlags(value(server, SERVER.flags, 8), value(server, SERVER.persistence, 4)),
  };
}

/** The real server in an answer about a virtual server of this family. Throws KernelError for what cannot be one. */
export function readReal(payload: Buffer, family: Family): BusyServer {
  const real = inside(payload, TOP.real);
  const method = METHODS[value(real, REAL.method, 4).readUInt32LE(0) & METHOD_MASK];
  if (method === undefined) throw misread(TARGET, "a forwarding method that is not known");
  // Only a tunnel leads to another family, and only kernels from 3.18 on say so.
  const own = real.has(REAL.family) ? readFamily(value(real, REAL.family, 2)) : family;
  return {
    address: readAddress(real, REAL.address, own),
    port: value(real, REAL.port, 2).readUInt16BE(0),
    method,
    weight: value(real, REAL.weight, 4).readUInt32LE(0),
    activeConnections: value(real, REAL.active, 4).readUInt32LE(0),
    inactiveConnections: value(real, REAL.inactive, 4).readUInt32LE(0),
  };
}

function inside(payload: Buffer, type: number): Attributes {
  return readAttributes(value(readGeneric(payload, TARGET), type));
}

function value(attributes: Attributes, type: number, length?: number): Buffer {
  return requiredValue(attributes, { type, target: TARGET, ...(length === undefined ? {} : { lengths: [length] }) });
}

function readFamily(bytes: Buffer): Family {
  const number = bytes.readUInt16LE(0);
  if (number === FAMILY.IPv4) return "IPv4";
  if (number === FAMILY.IPv6) return "IPv6";
  throw misread(TARGET, `a family of number ${number}`);
}

/** Answers carry sixteen bytes whatever the family; an address of IPv4 is in the first four. */
function readAddress(attributes: Attributes, type: number, family: Family): string {
  const lengths = family === "IPv4" ? [4, 16] : [16];
  const bytes = requiredValue(attributes, { type, lengths, target: TARGET });
  return addressText(family === "IPv4" ? bytes.subarray(0, 4) : bytes);
}

function readFlags(flagBytes: Buffer, seconds: Buffer) {
  const flags = flagBytes.readUInt32LE(0);
  const persistence = flags & FLAG.persistent ? seconds.readUInt32LE(0) : 0;
  const ours = FLAG.hashed | FLAG.scheduler | (persistence > 0 ? FLAG.persistent : 0);
  const otherFlags = (flags & ~ours) >>> 0;
  return {
    schedulerFlags: flags & FLAG.scheduler,
    persistence,
    ...(otherFlags === 0 ? {} : { otherFlags }),
  };
}
