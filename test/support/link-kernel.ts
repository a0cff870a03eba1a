// What if this kernel had interfaces of type dummy? A function from requests to answers that keeps interfaces and their
// addresses as rtnetlink does, by the layout of linux/rtnetlink.h.
import { addressBytes, addressText } from "../../src/kernel/address-bytes.ts";
import { attribute, nested, readAttributes } from "../../src/kernel/attributes.ts";
import type { Converse } from "../../src/kernel/netlink.ts";
import { type Message, readMessages } from "../../src/kernel/netlink-message.ts";
import type { KernelJournal } from "./kernel-journal.ts";
import { type Answer, errnoPayload, netlinkFunction } from "./netlink-function.ts";

const ERRNO = { ENODEV: 19, EEXIST: 17, EADDRNOTAVAIL: 99 } as const;

interface KeptLink {
  readonly index: number;
  readonly name: string;
  readonly kind: Buffer;
  /** By the text of the address and its prefix length: what was sent to add it. */
  readonly addresses: Map<string, Buffer>;
}

/** Interfaces come and go by their name, so that a test may take one away. */
export interface LinkKernel {
  readonly links: Map<string, KeptLink>;
  readonly converse: Converse;
  /** An address with the length of its network. */
  bindNetwork(name: string, address: string, prefix: number): void;
}

export function linkKernel(journal: KernelJournal): LinkKernel {
  const links = new Map<string, KeptLink>();
  let last = 0;
  const change = (message: Message): number => {
    const { type, payload } = message;
    if (type === 16) {
      const attributes = readAttributes(payload.subarray(16));
      const name = textOf(attributes.get(3));
      const kind = readAttributes(attributes.get(18) ?? Buffer.alloc(0)).get(1) ?? Buffer.alloc(0);
      return journal.carryOut(`link ${name}`, () => {
        if (links.has(name)) return ERRNO.EEXIST;
        last += 1;
        links.set(name, { index: last, name, kind: Buffer.from(kind), addresses: new Map() });
        return "done";
      });
    }
    const link = [...links.values()].find(({ index }) => index === payload.readInt32LE(4));
    if (!link) return ERRNO.ENODEV;
    if (type === 17) {
      return journal.carryOut(`no link ${link.name}`, () => (links.delete(link.name) ? "done" : ERRNO.ENODEV));
    }
    return changeAddress(journal, link, message);
  };
  const answers = (bytes: Buffer): readonly (readonly Answer[])[] => {
    const sent = readMessages(bytes);
    return sent.flatMap((message, index) => {
      const { type, sequence, payload } = message;
      if (type === 22)
        return [addressesOf(links, message), [{ type: 3, flags: 2, sequence, payload: errnoPayload(0) }]];
      const link = type === 18 ? links.get(textOf(readAttributes(payload.subarray(16)).get(3))) : undefined;
      if (link) return [[linkAnswer(link, sequence)], [errorAnswer(sequence, 0)]];
      const errno = type === 18 ? ERRNO.ENODEV : change(message);
      return errno !== 0 || index === sent.length - 1 ? [[errorAnswer(sequence, errno)]] : [];
    });
  };
  const bindNetwork = (name: string, address: string, prefix: number) => {
    const link = links.get(name);
    const bytes = attribute(1, addressBytes(address));
    const header = Buffer.from([2, prefix, 0, 0, link?.index ?? 0, 0, 0, 0]);
    link?.addresses.set(`${address}/${prefix}`, Buffer.concat([header, bytes]));
  };
  return { links, converse: netlinkFunction({ answers }), bindNetwork };
}

function changeAddress(journal: KernelJournal, { addresses }: KeptLink, { type, payload }: Message): number {
  const bytes = readAttributes(payload.subarray(8)).get(2) ?? Buffer.alloc(0);
  const text = `${addressText(Uint8Array.from(bytes))}/${payload.readUInt8(1)}`;
  if (type === 21) {
    return journal.carryOut(`unbind ${text}`, () => (addresses.delete(text) ? "done" : ERRNO.EADDRNOTAVAIL));
  }
  return journal.carryOut(`bind ${text}`, () => {
    if (addresses.has(text)) return ERRNO.EEXIST;
    addresses.set(text, Buffer.from(payload));
    return "done";
  });
}

/** Of all interfaces, of the family that was asked for. */
function addressesOf(links: ReadonlyMap<string, KeptLink>, { sequence, payload }: Message): readonly Answer[] {
  const all = [...links.values()].flatMap(({ addresses }) => [...addresses.values()]);
  const own = all.filter((each) => payload[0] === 0 || each[0] === payload[0]);
  return own.map((each) => ({ type: 20, flags: 2, sequence, payload: each }));
}

function linkAnswer({ index, name, kind }: KeptLink, sequence: number): Answer {
  const header = Buffer.alloc(16);
  header.writeInt32LE(index, 4);
  const payload = Buffer.concat([header, attribute(3, Buffer.from(`${name}\0`)), nested(18, attribute(1, kind))]);
  return { type: 16, sequence, payload };
}

function errorAnswer(sequence: number, errno: number): Answer {
  return { type: 2, sequence, payload: errnoPayload(errno) };
}

function textOf(name: Buffer | undefined): string {
  return (name ?? Buffer.alloc(0)).toString().replace(/\0.*/, "");
}
