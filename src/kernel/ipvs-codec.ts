// How is IPVS asked to change and to list servers?
import { familyOf } from "../net/address.ts";
import type { Family } from "../net/family.ts";
import type { RealIdentity, ServerChange, ServerSettings } from "../state/server-change.ts";
import type { RealServer, ServerIdentity } from "../state/virtual-server.ts";
import { addressBytes } from "./address-bytes.ts";
import { hostUint16, hostUint32, nameBytes, networkUint16 } from "./attribute-values.ts";
import { attribute } from "./attributes.ts";
import { genericPayload } from "./generic-netlink.ts";
import { COMMAND, FAMILY, FLAG, METHODS, PROTOCOL, REAL, SERVER, TOP, VERSION } from "./ipvs-numbers.ts";
import type { Request } from "./netlink-message.ts";

/** Of the flags, which are to become what is said: all. */
const ALL_FLAGS = 0xffff_ffff;

/** Persistence is for each client by itself: the mask is a whole address. */
const MASK: Readonly<Record<Family, Buffer>> = { IPv4: hostUint32(0xffff_ffff), IPv6: hostUint32(128) };

const NO_THRESHOLDS = Buffer.concat([attribute(REAL.upper, hostUint32(0)), attribute(REAL.lower, hostUint32(0))]);

const NOWHERE: Readonly<Record<Family, Uint8Array>> = { IPv4: new Uint8Array(4), IPv6: new Uint8Array(16) };

/** A whole real server of each family, to be copied: thousands are alike but for address, port and a number or two. */
const REAL_FORM: Readonly<Record<Family, Buffer>> = { IPv4: realForm("IPv4"), IPv6: realForm("IPv6") };

/** Where its values are, from the end: the address alone has two lengths. */
const FROM_END = { port: 36, method: 28, weight: 20 } as const;

/** Where the address is. */
const ADDRESS_AT = 4;

/** Seconds after which an idle connection is forgotten; 0 leaves the kernel's value as it is. */
export interface IpvsTimeouts {
  readonly tcp: number;
  readonly tcpFin: number;
  readonly udp: number;
}

/**
 * One request for each change, to the family of this number. Changes of one server are best given one after the other,
 * with the same object for it: what tells it from others is written once.
 */
export function serverRequests(family: number, changes: readonly ServerChange[]): readonly Request[] {
  let last: ServerIdentity | undefined;
  let named: Buffer = Buffer.alloc(0);
  return changes.map((change) => {
    if (change.server !== last) named = attribute(TOP.server, serverKey(change.server));
    last = change.server;
    return requestOf(family, COMMAND[change.kind], partsOf(change, named));
  });
}

/** What a dump of all virtual servers asks for. */
export function serversPayload(): Buffer {
  return genericPayload(COMMAND["list-servers"], VERSION);
}

/** What a dump of the real servers behind a virtual server asks for. It is empty, not refused, where that is missing. */
export function realServersPayload(server: ServerIdentity): Buffer {
  return genericPayload(COMMAND["list-real"], VERSION, attribute(TOP.server, serverKey(server)));
}

export function timeoutsRequest(family: number, { tcp, tcpFin, udp }: IpvsTimeouts): Request {
  return requestOf(family, COMMAND["set-timeouts"], [
    attribute(TOP.tcp, hostUint32(tcp)),
    attribute(TOP.tcpFin, hostUint32(tcpFin)),
    attribute(TOP.udp, hostUint32(udp)),
  ]);
}

/** Deletes every virtual server, of both families and of whomever. */
export function flushRequest(family: number): Request {
  return requestOf(family, COMMAND.flush, []);
}

function requestOf(type: number, command: number, attributes: readonly Buffer[]): Request {
  return { type, flags: 0, payload: genericPayload(command, VERSION, ...attributes) };
}

/** `named`: what tells the virtual server from others. */
function partsOf(change: ServerChange, named: Buffer): readonly Buffer[] {
  switch (change.kind) {
    case "add-server":
    case "set-server":
      return [attribute(TOP.server, Buffer.concat([serverKey(change.server), settingsOf(change.server)]))];
    case "remove-server":
      return [named];
    case "add-real":
    case "set-real":
      return [named, attribute(TOP.real, realServer(change.server, change.real))];
    case "remove-real":
      return [named, attribute(TOP.real, realKey(change.real))];
  }
}

function serverKey({ address, protocol, port }: ServerIdentity): Buffer {
  return Buffer.concat([
    attribute(SERVER.family, hostUint16(FAMILY[familyOf(address)])),
    attribute(SERVER.protocol, hostUint16(PROTOCOL[protocol])),
    attribute(SERVER.address, addressBytes(address)),
    attribute(SERVER.port, networkUint16(port)),
  ]);
}

function settingsOf({ address, scheduler, schedulerFlags, persistence }: ServerSettings): Buffer {
  const flags = (persistence > 0 ? FLAG.persistent : 0) | schedulerFlags;
  return Buffer.concat([
    attribute(SERVER.scheduler, nameBytes(scheduler)),
    attribute(SERVER.flags, Buffer.concat([hostUint32(flags), hostUint32(ALL_FLAGS)])),
    attribute(SERVER.persistence, hostUint32(persistence)),
    attribute(SERVER.mask, MASK[familyOf(address)]),
  ]);
}

function realKey({ address, port }: RealIdentity): Buffer {
  return Buffer.concat([attribute(REAL.address, addressBytes(address)), attribute(REAL.port, networkUint16(port))]);
}

function realForm(family: Family): Buffer {
  return Buffer.concat([
    attribute(REAL.address, NOWHERE[family]),
    attribute(REAL.port, networkUint16(0)),
    attribute(REAL.method, hostUint32(0)),
    attribute(REAL.weight, hostUint32(0)),
    NO_THRESHOLDS,
  ]);
}

function realServer(server: ServerIdentity, { address, port, method, weight }: RealServer): Buffer {
  const family = familyOf(address);
  const bytes = Buffer.from(REAL_FORM[family]);
  bytes.set(addressBytes(address), ADDRESS_AT);
  bytes.writeUInt16BE(port, bytes.length - FROM_END.port);
  bytes.writeUInt32LE(METHODS.indexOf(method), bytes.length - FROM_END.method);
  bytes.writeUInt32LE(weight, bytes.length - FROM_END.weight);
  // Unless told of another family, the kernel takes the first bytes of the address for one of the server's.
  if (family === familyOf(server.address)) return bytes;
  return Buffer.concat([bytes, attribute(REAL.family, hostUint16(FAMILY[family]))]);
}
