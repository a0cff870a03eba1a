// A fake ipset: a function from netlink requests to answers that keeps sets as the kernel does, by the layout of
// linux/netfilter/ipset/ip_set.h.
import { addressText } from "../../src/kernel/address-bytes.ts";
import { readList } from "../../src/kernel/attribute-list.ts";
import { attribute, nested, readAttributes } from "../../src/kernel/attributes.ts";
import type { Converse } from "../../src/kernel/netlink.ts";
import { type Message, readMessages } from "../../src/kernel/netlink-message.ts";
import { SET_TYPES } from "../../src/state/ip-set.ts";
import { type EntryParts, printEntry } from "../../src/state/set-entry.ts";
import type { KernelJournal } from "./kernel-journal.ts";
import { type Answer, errnoPayload, netlinkFunction } from "./netlink-function.ts";

const SUBSYSTEM = 6 * 256;
const ERRNO = {
  ENOENT: 2,
  EEXIST: 17,
  PROTOCOL: 4097,
  EXIST_SETNAME2: 4101,
  TYPE_MISMATCH: 4102,
  INVALID_CIDR: 4104,
  HASH_FULL: 4352,
} as const;
const MOST = 65_536;

interface KeptSet {
  readonly name: string;
  readonly type: string;
  /** Type, revision, family and size, as they were asked for. */
  readonly made: Buffer;
  /** What the kernel compares when the set is created again: not the family. */
  readonly compared: Buffer;
  /** `maxelem`; without it, as many as a bitmap has ports. */
  readonly most: number;
  /** By their text: what was sent to add them. */
  readonly entries: Map<string, Buffer>;
}

/** Sets by name, so that a test may take one away or put in another. */
export interface SetKernel {
  readonly sets: Map<string, KeptSet>;
  readonly converse: Converse;
}

export function setKernel(journal: KernelJournal): SetKernel {
  const sets = new Map<string, KeptSet>();
  const answers = (bytes: Buffer): readonly (readonly Answer[])[] => {
    const sent = readMessages(bytes);
    return sent.flatMap((message, index) => {
      const { sequence } = message;
      const command = message.type - SUBSYSTEM;
      if (command === 7) return listOf(sets, message);
      if (command === 13) return [[revisions(sequence)], [errorAnswer(sequence, 0)]];
      const errno = changeSets(sets, journal, message);
      return errno !== 0 || index === sent.length - 1 ? [[errorAnswer(sequence, errno)]] : [];
    });
  };
  return { sets, converse: netlinkFunction({ answers }) };
}

function changeSets(sets: Map<string, KeptSet>, journal: KernelJournal, { type, payload }: Message): number {
  const top = readAttributes(payload.subarray(4));
  const name = textOf(top.get(2));
  const set = sets.get(name);
  switch (type - SUBSYSTEM) {
    case 2:
      return create(sets, journal, name, top);
    case 3:
      return journal.carryOut(`destroy ${name}`, () => (sets.delete(name) ? "done" : "same"));
    case 6:
      return swap(sets, journal, name, textOf(top.get(3)));
    case 9:
    case 10: {
      if (!set) return ERRNO.ENOENT;
      const kind = type - SUBSYSTEM === 9 ? "add" : "remove";
      for (const entry of readList(top.get(8) ?? Buffer.alloc(0))) {
        const errno = changeEntry(set, journal, kind, entry);
        if (errno !== 0) return errno;
      }
      return 0;
    }
    default:
      return ERRNO.PROTOCOL;
  }
}

function create(
  sets: Map<string, KeptSet>,
  journal: KernelJournal,
  name: string,
  top: ReadonlyMap<number, Buffer>,
): number {
  const copied = (types: readonly number[]) =>
    Buffer.concat(types.map((each) => attribute(each, top.get(each) ?? Buffer.alloc(0))));
  const [made, compared] = [copied([3, 4, 5, 7]), copied([3, 7])];
  const most =
    readAttributes(top.get(7) ?? Buffer.alloc(0))
      .get(19)
      ?.readUInt32BE(0) ?? MOST;
  return journal.carryOut(`create ${name}`, () => {
    const there = sets.get(name);
    if (there) return there.compared.equals(compared) ? "same" : ERRNO.EEXIST;
    sets.set(name, { name, type: textOf(top.get(3)), made, compared, most, entries: new Map() });
    return "done";
  });
}

function swap(sets: Map<string, KeptSet>, journal: KernelJournal, name: string, other: string): number {
  return journal.carryOut(`swap ${name} ${other}`, () => {
    const [one, two] = [sets.get(name), sets.get(other)];
    if (!one || !two) return ERRNO.EXIST_SETNAME2;
    if (one.type !== two.type) return ERRNO.TYPE_MISMATCH;
    sets.set(name, { ...two, name }).set(other, { ...one, name: other });
    return "done";
  });
}

function changeEntry(set: KeptSet, journal: KernelJournal, kind: "add" | "remove", sent: Buffer): number {
  const parts = partsOf(sent);
  const type = SET_TYPES.find((known) => known === set.type);
  const text = type ? printEntry(type, parts) : "";
  return journal.carryOut(`${kind} ${set.name} ${text}`, () => {
    if (parts.prefix === 0) return ERRNO.INVALID_CIDR;
    if (kind === "remove") return set.entries.delete(text) ? "done" : "same";
    if (set.entries.has(text)) return "same";
    if (set.entries.size >= set.most) return ERRNO.HASH_FULL;
    set.entries.set(text, Buffer.from(sent));
    return "done";
  });
}

function partsOf(sent: Buffer): EntryParts {
  const data = readAttributes(sent);
  const [port, protocol, prefix] = [data.get(4)?.readUInt16BE(0), data.get(7)?.[0], data.get(21)?.[0]];
  const [address, second] = [addressIn(data.get(1)), addressIn(data.get(20))];
  return {
    ...(address !== undefined && { address }),
    ...(port !== undefined && { port }),
    ...(protocol !== undefined && { protocol }),
    ...(second !== undefined && { second }),
    ...(prefix !== undefined && { prefix }),
  };
}

function addressIn(value: Buffer | undefined): string | undefined {
  const [bytes] = value === undefined ? [] : [...readAttributes(value).values()];
  return bytes && addressText(Uint8Array.from(bytes));
}

function listOf(sets: ReadonlyMap<string, KeptSet>, { sequence, payload }: Message): readonly (readonly Answer[])[] {
  const asked = readAttributes(payload.subarray(4)).get(2);
  if (!asked) return [...headersOf(sets, sequence), [{ type: 3, flags: 2, sequence, payload: errnoPayload(0) }]];
  const set = sets.get(textOf(asked));
  if (!set) return [[errorAnswer(sequence, ERRNO.ENOENT)]];
  const name = attribute(2, Buffer.from(`${set.name}\0`));
  const all = [...set.entries.values()];
  const pieces = [
    all.slice(0, 500),
    ...Array.from({ length: Math.ceil(all.length / 500) }, (_, at) => at)
      .slice(1)
      .map((at) => all.slice(500 * at, 500 * (at + 1))),
  ];
  const parts = pieces.map((piece, index) => {
    const list = nested(8, ...piece.map((entry) => nested(7, entry)));
    const made = index === 0 ? set.made : Buffer.alloc(0);
    return [{ type: SUBSYSTEM + 7, flags: 2, sequence, payload: Buffer.concat([Buffer.alloc(4), name, made, list]) }];
  });
  return [...parts, [{ type: 3, flags: 2, sequence, payload: errnoPayload(0) }]];
}

/** All sets without their entries, of which it says how many there are. */
function headersOf(sets: ReadonlyMap<string, KeptSet>, sequence: number): readonly (readonly Answer[])[] {
  return [...sets.values()].map(({ name, entries }) => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(entries.size);
    const header = [attribute(2, Buffer.from(`${name}\0`)), nested(7, attribute(0x4018, count))];
    const payload = Buffer.concat([Buffer.alloc(4), ...header]);
    return [{ type: SUBSYSTEM + 7, flags: 2, sequence, payload }];
  });
}

/** Of every type the newest one that is ours to ask for. */
function revisions(sequence: number): Answer {
  const range = [attribute(4, Buffer.of(9)), attribute(10, Buffer.of(0))];
  return { type: SUBSYSTEM + 13, sequence, payload: Buffer.concat([Buffer.alloc(4), ...range]) };
}

function errorAnswer(sequence: number, errno: number): Answer {
  return { type: 2, sequence, payload: errnoPayload(errno) };
}

function textOf(name: Buffer | undefined): string {
  return (name ?? Buffer.alloc(0)).toString().replace(/\0.*/, "");
}
