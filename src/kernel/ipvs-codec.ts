// How is IPVS asked to change and to list servers?
import { familyOf } from "../net/address.ts";
import type { Family } from "../net/family.ts";
import type { RealIdentity, ServerChange, ServerSettings } from "../state/server-change.ts";
import type { RealServer, ServerIdentity } from "../state/virtual-server.ts";
import { addressBytes, writeAddress } from "./address-bytes.ts";
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

/** Where the values of a payload are: what comes before them, from the end of an address on where one is in between. */
const PLACE = { protocol: 20, address: 28, port: 4, real: 16, method: 12, weight: 20 } as const;

/** Seconds after which an idle connection is forgotten; 0 leaves the kernel's value as it is. */
export interface IpvsTimeouts {
  readonly tcp: number;
  readonly tcpFin: number;
  readonly udp: number;
}

/** A change in words, to be copied for the next one that is alike. */
interface Form {
  readonly change: ServerChange;
  readonly payload: Buffer;
}

/**
 * One request for each change, to the family of this number. Thousands differ in nothing but addresses, ports and a
 * number or two, so each is a copy of the one of its kind before, where they are alike.
 */
export function serverRequests(family: number, changes: readonly ServerChange[]): readonly Request[] {
  const forms = new Map<ServerChange["kind"], Form>();
  return changes.map((change) => {
    const form = forms.get(change.kind);
    const payload = form && areAlike(form.change, change) ? copyFor(change, form) : payloadOf(change);
    forms.set(change.kind, { change, payload });
    return { type: family, flags: 0, payload };
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

function payloadOf(change: ServerChange): Buffer {
  return genericPayload(COMMAND[change.kind], VERSION, ...partsOf(change));
}

function partsOf(change: ServerChange): readonly Buffer[] {
  const key = serverKey(change.server);
  switch (change.kind) {
    case "add-server":
    case "set-server":
      return [attribute(TOP.server, Buffer.concat([key, settingsOf(change.server)]))];
    case "remove-server":
      return [attribute(TOP.server, key)];
    case "add-real":
    case "set-real":
      return [attribute(TOP.server, key), attribute(TOP.real, realServer(change.server, change.real))];
    case "remove-real":
      return [attribute(TOP.server, key), attribute(TOP.real, realKey(change.real))];
  }
}

/** Of two changes of one kind: do their words have the same attributes, of the same lengths and, but for `PLACE`, values? */
function areAlike(one: ServerChange, other: ServerChange): boolean {
  if (familyOf(one.server.address) !== familyOf(other.server.address)) return false;
  if ("real" in one && "real" in other) return familyOf(one.real.address) === familyOf(other.real.address);
  return areSetAlike(one.server, other.server);
}

function areSetAlike(one: Partial<ServerSettings>, other: Partial<ServerSettings>): boolean {
  return (
    one.scheduler === other.scheduler &&
    one.schedulerFlags === other.schedulerFlags &&
    one.persistence === other.persistence
  );
}

function copyFor(change: ServerChange, { payload }: Form): Buffer {
  const { protocol, address, port } = change.server;
  const bytes = Buffer.allocUnsafe(payload.length);
  bytes.set(payload);
  bytes.writeUInt16LE(PROTOCOL[protocol], PLACE.protocol);
  const end = writeAddress(bytes, PLACE.address, address);
  bytes.writeUInt16BE(port, end + PLACE.port);
  if ("real" in change) writeReal(bytes, end + PLACE.real, change);
  return bytes;
}

function writeReal(bytes: Buffer, at: number, change: Extract<ServerChange, { readonly real: RealIdentity }>): void {
  const end = writeAddress(bytes, at, change.real.address);
  bytes.writeUInt16BE(change.real.port, end + PLACE.port);
  if (change.kind === "remove-real") return;
  bytes.writeUInt32LE(METHODS.indexOf(change.real.method), end + PLACE.method);
  bytes.writeUInt32LE(change.real.weight, end + PLACE.weight);
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

function realServer(server: ServerIdentity, { address, port, method, weight }: RealServer): Buffer {
  const family = familyOf(address);
  return Buffer.concat([
    realKey({ address, port }),
    attribute(REAL.method, hostUint32(METHODS.indexOf(method))),
    attribute(REAL.weight, hostUint32(weight)),
    NO_THRESHOLDS,
    // Unless told of another family, the kernel takes the first bytes of the address for one of the server's.
    ...(family === familyOf(server.address) ? [] : [attribute(REAL.family, hostUint16(FAMILY[family]))]),
  ]);
}
