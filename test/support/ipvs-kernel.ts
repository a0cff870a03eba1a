// What if this kernel had IPVS? A function from requests to answers that keeps servers as the kernel does: what it reads
// of requests and writes of answers it does by itself, by the layout of linux/ip_vs.h.
import { addressText } from "../../src/kernel/address-bytes.ts";
import { attribute, nested, readAttributes } from "../../src/kernel/attributes.ts";
import type { IpvsAccess } from "../../src/kernel/ipvs.ts";
import { type Message, readMessages } from "../../src/kernel/netlink-message.ts";
import { type ChangeOutcome, KernelJournal } from "./kernel-journal.ts";
import { type Answer, errnoPayload, netlinkFunction } from "./netlink-function.ts";

const NUMBER = 0x23;
const ERRNO = { ENOENT: 2, ESRCH: 3, EEXIST: 17, EINVAL: 22, ERANGE: 34, EOPNOTSUPP: 95 } as const;
const HASHED = 2;

interface KeptReal {
  readonly key: Buffer;
  readonly values: ReadonlyMap<number, Buffer>;
  readonly active: number;
}

interface KeptServer {
  readonly key: ReadonlyMap<number, Buffer>;
  values: ReadonlyMap<number, Buffer>;
  readonly real: Map<string, KeptReal>;
}

export interface IpvsKernelOptions {
  readonly schedulers?: readonly string[];
  /** No family of this name. */
  readonly absent?: boolean;
  /** Bytes of answers that may wait. */
  readonly receiveBuffer?: number;
  /** Where to write down what is asked for. */
  readonly journal?: KernelJournal;
}

export interface IpvsKernel extends IpvsAccess {
  /** How many messages came that change something, and in how many sends. */
  readonly counted: { messages: number; sends: number };
  readonly timeouts: number[];
  /** A server by firewall mark, or of another protocol. */
  addForeign(values: ReadonlyMap<number, Buffer>): void;
  /** Connections of a real server, found by the end of its place in the text of /proc. */
  setActive(hexPlace: string, active: number): void;
}

export function ipvsKernel(options: IpvsKernelOptions = {}): IpvsKernel {
  const { schedulers = ["rr", "mh"], absent = false, receiveBuffer = 425_984, journal = new KernelJournal() } = options;
  const servers = new Map<string, KeptServer>();
  const counted = { messages: 0, sends: 0 };
  const timeouts: number[] = [];
  const change = changer({ servers, schedulers, timeouts, broken: journal.broken });
  const answers = (bytes: Buffer): readonly (readonly Answer[])[] => {
    const sent = readMessages(bytes);
    const [first] = sent;
    if (first === undefined) return [];
    if (first.type === 0x10) return [absent ? [refused(first, ERRNO.ENOENT)] : familyAnswer(first)];
    if ([4, 8].includes(first.payload[0] ?? 0)) return [listOf(servers, first), [done(first)]];
    counted.sends += 1;
    counted.messages += sent.length;
    return sent.flatMap((message, index) => {
      const errno = journal.carryOut(wordsOf(message), () => change(message));
      return errno !== 0 || index === sent.length - 1 ? [[refused(message, errno)]] : [];
    });
  };
  return {
    converse: netlinkFunction({ receiveBuffer, answers }),
    readProc: () => [procText(servers)],
    counted,
    timeouts,
    addForeign: (values) => {
      servers.set(`foreign ${servers.size}`, { key: new Map(), values, real: new Map() });
    },
    setActive: (hexPlace, active) => {
      for (const { real } of servers.values()) {
        for (const [name, one] of real) if (name === hexPlace) real.set(name, { ...one, active });
      }
    },
  };
}

interface Kept {
  readonly servers: Map<string, KeptServer>;
  readonly schedulers: readonly string[];
  readonly timeouts: number[];
  readonly broken: string[];
}

function changer({ servers, schedulers, timeouts, broken }: Kept): (message: Message) => ChangeOutcome {
  return ({ payload }) => {
    const [command = 0] = payload;
    const top = readAttributes(payload.subarray(4));
    if (command === 17) return clear(servers);
    if (command === 12) {
      timeouts.push(...[4, 5, 6].map((type) => top.get(type)?.readUInt32LE(0) ?? -1));
      return timeouts.some((seconds) => seconds > 2_147_483) ? ERRNO.EINVAL : 0;
    }
    const values = readAttributes(top.get(1) ?? Buffer.alloc(0));
    const key = new Map([1, 2, 3, 4].map((type) => [type, values.get(type) ?? Buffer.alloc(0)]));
    const name = [...key.values()].map((value) => value.toString("hex")).join(" ");
    const server = servers.get(name);
    if (command <= 2) {
      if (command === 1 && server) return ERRNO.EEXIST;
      if (command === 2 && !server) return ERRNO.ESRCH;
      if (![6, 7, 8, 9].every((type) => values.has(type))) return ERRNO.EINVAL;
      if (!schedulers.includes(values.get(6)?.toString().replace("\0", "") ?? "")) return ERRNO.ENOENT;
      const same = server && sameValues(server.values, values);
      if (server) server.values = values;
      else servers.set(name, { key, values, real: new Map() });
      return same ? "same" : "done";
    }
    if (!server) return ERRNO.ESRCH;
    if (command === 3) return servers.delete(name) ? "done" : ERRNO.ESRCH;
    const real = readAttributes(top.get(2) ?? Buffer.alloc(0));
    if (command === 7 && isBusyTcp(server, real)) broken.push(wordsOf({ payload }));
    return changeReal(server, command, real);
  };
}

function isBusyTcp({ key, real }: KeptServer, values: ReadonlyMap<number, Buffer>): boolean {
  return key.get(2)?.readUInt16LE(0) === 6 && (real.get(realName(values))?.active ?? 0) > 0;
}

function realName(values: ReadonlyMap<number, Buffer>): string {
  return Buffer.concat([values.get(1) ?? Buffer.alloc(0), values.get(2) ?? Buffer.alloc(0)]).toString("hex");
}

function changeReal(server: KeptServer, command: number, values: ReadonlyMap<number, Buffer>): ChangeOutcome {
  const key = Buffer.concat([values.get(1) ?? Buffer.alloc(0), values.get(2) ?? Buffer.alloc(0)]);
  const name = realName(values);
  const kept = server.real.get(name);
  if (command === 7) return server.real.delete(name) ? "done" : ERRNO.ENOENT;
  if (command === 5 && kept) return ERRNO.EEXIST;
  if (command === 6 && !kept) return ERRNO.ENOENT;
  if (values.has(11)) return ERRNO.EINVAL;
  if (![3, 4, 5, 6].every((type) => values.has(type))) return ERRNO.EINVAL;
  server.real.set(name, { key, values, active: kept?.active ?? 0 });
  return kept && sameValues(kept.values, values) ? "same" : "done";
}

const KINDS = new Map([
  [1, "add-server"],
  [2, "set-server"],
  [3, "remove-server"],
  [5, "add-real"],
  [6, "set-real"],
  [7, "remove-real"],
  [12, "timeouts"],
  [17, "flush"],
]);

const PROTOCOLS = new Map([
  [6, "TCP"],
  [17, "UDP"],
  [132, "SCTP"],
]);

/** `set-real 10.96.1.1:80/TCP to 10.71.1.5:8080 weight 0`. */
function wordsOf({ payload }: Pick<Message, "payload">): string {
  const [command = 0] = payload;
  const top = readAttributes(payload.subarray(4));
  const server = readAttributes(top.get(1) ?? Buffer.alloc(0));
  const real = readAttributes(top.get(2) ?? Buffer.alloc(0));
  const protocol = PROTOCOLS.get(server.get(2)?.readUInt16LE(0) ?? 0) ?? "";
  const to = top.has(2) ? ` to ${place(real.get(1), real.get(2))}` : "";
  const weight = real.has(4) ? ` weight ${real.get(4)?.readUInt32LE(0)}` : "";
  return `${KINDS.get(command)} ${place(server.get(3), server.get(4))}/${protocol}${to}${weight}`;
}

function place(address: Buffer | undefined, port: Buffer | undefined): string {
  if (!address || !port) return "";
  const text = addressText(Uint8Array.from(address));
  return `${text.includes(":") ? `[${text}]` : text}:${port.readUInt16BE(0)}`;
}

function sameValues(a: ReadonlyMap<number, Buffer>, b: ReadonlyMap<number, Buffer>): boolean {
  return a.size === b.size && [...a].every(([type, value]) => b.get(type)?.equals(value));
}

function clear(servers: Map<string, KeptServer>): number {
  servers.clear();
  return 0;
}

function listOf(servers: ReadonlyMap<string, KeptServer>, { sequence, payload }: Message): readonly Answer[] {
  const answer = (command: number, body: Buffer): Answer => ({
    type: NUMBER,
    flags: 2,
    sequence,
    payload: Buffer.concat([Buffer.of(command, 1, 0, 0), body]),
  });
  if (payload[0] === 4) return [...servers.values()].map((server) => answer(1, serverAnswer(server)));
  const values = readAttributes(readAttributes(payload.subarray(4)).get(1) ?? Buffer.alloc(0));
  const name = [1, 2, 3, 4].map((type) => values.get(type)?.toString("hex")).join(" ");
  return [...(servers.get(name)?.real.values() ?? [])].map((real) => answer(5, realAnswer(real)));
}

/** Sixteen bytes for an address of either family, the kernel's own flag, and counters nobody asks for. */
function serverAnswer({ key, values }: KeptServer): Buffer {
  const all = new Map([...key, ...values]);
  const parts = [...all].map(([type, value]) => {
    if (type === 3) return attribute(3, padded(value));
    if (type !== 7) return attribute(type, value);
    const flags = Buffer.from(value);
    flags.writeUInt32LE(value.readUInt32LE(0) | HASHED);
    return attribute(7, flags);
  });
  return attribute(1, Buffer.concat([...parts, nested(10, attribute(1, Buffer.alloc(4)))]));
}

function realAnswer({ values, active }: KeptReal): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32LE(active);
  const value = (type: number) => values.get(type) ?? Buffer.alloc(4);
  return attribute(
    2,
    Buffer.concat([
      attribute(1, padded(value(1))),
      attribute(2, value(2)),
      attribute(3, value(3)),
      attribute(4, value(4)),
      attribute(13, Buffer.of(0)),
      attribute(7, count),
      attribute(8, Buffer.alloc(4)),
      attribute(11, Buffer.of(value(1).length === 16 ? 10 : 2, 0)),
    ]),
  );
}

function padded(address: Buffer): Buffer {
  return Buffer.concat([address, Buffer.alloc(16 - address.length)]);
}

function procText(servers: ReadonlyMap<string, KeptServer>): string {
  const lines = [...servers.values()].flatMap(({ key, values, real }) => {
    const scheduler = values.get(6)?.toString().replace("\0", "") ?? "";
    const mark = values.get(5);
    const number = key.get(2)?.readUInt16LE(0) ?? 0;
    const protocol = PROTOCOLS.get(number);
    const head = mark
      ? `FWM  ${mark.readUInt32LE(0).toString(16).padStart(8, "0").toUpperCase()} ${scheduler} `
      : `${protocol ?? `IP_${number}`}  ${placeText(key.get(3) ?? Buffer.alloc(4), key.get(4) ?? Buffer.alloc(2))} ${scheduler}  `;
    return [head, ...[...real.values()].map(realLine)];
  });
  const headings = [
    "IP Virtual Server version 1.2.1 (size=4096)",
    "Prot LocalAddress:Port Scheduler Flags",
    "  -> RemoteAddress:Port Forward Weight ActiveConn InActConn",
  ];
  return [...headings, ...lines, ""].join("\n");
}

function realLine({ values, active }: KeptReal): string {
  const value = (type: number) => values.get(type) ?? Buffer.alloc(4);
  const method = ["Masq", "Local", "Tunnel", "Route", "Bypass"][value(3).readUInt32LE(0)] ?? "";
  const weight = `${value(4).readUInt32LE(0)}`;
  const counts = `${weight.padEnd(6)} ${`${active}`.padEnd(10)} ${"0".padEnd(10)}`;
  return `  -> ${placeText(value(1), value(2))}      ${method.padEnd(7)} ${counts}`;
}

function placeText(address: Buffer, port: Buffer): string {
  const digits = address.toString("hex");
  const place = address.length === 4 ? digits.toUpperCase() : `[${digits.match(/.{4}/g)?.join(":")}]`;
  return `${place}:${port.toString("hex").toUpperCase()}`;
}

function familyAnswer({ sequence }: Message): readonly Answer[] {
  const payload = Buffer.concat([
    Buffer.of(1, 2, 0, 0),
    attribute(1, Buffer.of(NUMBER, 0)),
    attribute(2, Buffer.from("IPVS\0")),
  ]);
  return [
    { type: 0x10, sequence, payload },
    { type: 2, sequence, payload: errnoPayload(0) },
  ];
}

function refused({ sequence }: Message, errno: number): Answer {
  return { type: 2, sequence, payload: errnoPayload(errno) };
}

function done({ sequence }: Message): Answer {
  return { type: 3, flags: 2, sequence, payload: errnoPayload(0) };
}
