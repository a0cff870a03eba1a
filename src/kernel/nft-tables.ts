// Lists and deletes tables of nf_tables, and digests our chains in them, over nfnetlink (linux/netfilter/nf_tables.h).
import { KernelError } from "../errors.ts";
import { FAMILIES, type Family } from "../net/family.ts";
import { align, attribute, readAttributes } from "./attributes.ts";
import { type Converse, netfilterDump, withSocket } from "./netlink.ts";
import {
  errnoName,
  errnoOf,
  FLAG,
  frame,
  HEADER,
  INTERRUPTED,
  type Request,
  readMessages,
  TYPE,
} from "./netlink-message.ts";
import { unlessRefused } from "./refused.ts";

// nf_tables is nfnetlink subsystem 10; a transaction begins and ends with messages of nfnetlink itself.
const SUBSYSTEM = 10;
const GET_TABLE = SUBSYSTEM * 256 + 1;
const DELETE_TABLE = SUBSYSTEM * 256 + 2;
const GET_CHAIN = SUBSYSTEM * 256 + 4;
const BEGIN = 0x10;
const END = 0x11;

/** Bytes of nfnetlink's own header in front of the attributes: family, version, resource. */
const NFNETLINK = 4;

/** The attribute of a table's name. */
const NAME = 1;

const FAMILY: Readonly<Record<Family, number>> = { IPv4: 2, IPv6: 10 };

const ACK = 0x4;
const ENOENT = 2;

/** The table that kube-proxy has in each family, in mode nftables. */
export const KUBE_PROXY_TABLE = "kube-proxy";

/** The families that have a table of this name. Rejects with KernelError where the kernel knows no nf_tables. */
export async function familiesOfTable(name: string): Promise<readonly Family[]> {
  const tables = await netfilterDump(GET_TABLE);
  return FAMILIES.filter((family) => tables.some((table) => table[0] === FAMILY[family] && nameIn(table) === name));
}

/** Takes the table away with all that is in it; one that is not there is no fault. Rejects with KernelError. */
export async function deleteTable(family: Family, name: string): Promise<void> {
  const table = attribute(NAME, Buffer.from(`${name}\0`));
  const requests: readonly Request[] = [
    { type: BEGIN, flags: 0, payload: header(0) },
    { type: DELETE_TABLE, flags: ACK, payload: Buffer.concat([header(FAMILY[family]), table]) },
    { type: END, flags: 0, payload: header(0) },
  ];
  const errno = await withSocket("netfilter", "batch", async ({ exchange }) => {
    let answer = 0;
    await exchange(frame(requests, 0), (datagram) => {
      const [told] = readMessages(datagram);
      answer = told ? errnoOf(told) : 0;
      return true;
    });
    return answer;
  });
  if (errno === 0 || errno === ENOENT) return;
  const words = "the table cannot be deleted";
  throw new KernelError({ step: "nftables", target: `${family} ${name}`, code: errnoName(errno), words });
}

/** Times that a dump is repeated when the chains change meanwhile. */
const ATTEMPTS = 5;

/**
 * Returns a digest of the chains with a KUBE- name in the tables of this family: their names, handles, and numbers of
 * rules and references (NFTA_CHAIN_USE). Undefined where they cannot be read, or changed during each attempt to.
 */
export async function digestOfChains(family: Family, converse: Converse = withSocket): Promise<string | undefined> {
  const request = frame([{ type: GET_CHAIN, flags: FLAG.dump, payload: header(FAMILY[family]) }], 1);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const digest = new ChainDigest();
    const dumped = converse("netfilter", "dump", (socket) => socket.exchange(request, (part) => digest.add(part)));
    if ((await unlessRefused(dumped, "refused")) === "refused") return undefined;
    if (digest.isWhole) return digest.text;
  }
  return undefined;
}

/** "KUBE" at the beginning of a name. */
const KUBE = Buffer.from("KUBE").readUInt32LE();

/** The attribute of a chain's name (NFTA_CHAIN_NAME). */
const CHAIN_NAME = 3;

/** Digests the datagrams of a chain dump in place: at 5,000 Services an object for each chain would burden the collector. */
class ChainDigest {
  isWhole = true;
  #a = 0x811c9dc5;
  #b = 0;

  get text(): string {
    return `${this.#a} ${this.#b}`;
  }

  /** Whether this was the last datagram. */
  add(datagram: Buffer): boolean {
    for (let at = 0; at < datagram.length; ) {
      const end = at + datagram.readUInt32LE(at);
      const type = datagram.readUInt16LE(at + 4);
      const isEnd = type === TYPE.error || type === TYPE.done;
      const isInterrupted = (datagram.readUInt16LE(at + 6) & INTERRUPTED) !== 0;
      if (isInterrupted || (isEnd && datagram.readInt32LE(at + HEADER) !== 0)) this.isWhole = false;
      if (isEnd) return true;
      // The header of nfnetlink has the generation.
      if (isOurs(datagram, at + HEADER + NFNETLINK, end)) this.#mix(datagram, at + HEADER + NFNETLINK, end);
      at = align(end);
    }
    return false;
  }

  /** FNV-1a and a multiplicative hash over words: attributes are padded to four bytes. */
  #mix(datagram: Buffer, start: number, end: number): void {
    for (let at = start; at < end; at += 4) {
      const word = datagram.readInt32LE(at);
      this.#a = Math.imul(this.#a ^ word, 0x01000193);
      this.#b = Math.imul(this.#b + word, 0x9e3779b1) ^ (this.#b >>> 15);
    }
  }
}

/** Whether the name of a chain begins with KUBE. Base chains, whose messages have counters, never have such a name. */
function isOurs(datagram: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += align(datagram.readUInt16LE(at))) {
    if (datagram.readUInt16LE(at + 2) === CHAIN_NAME) return datagram.readUInt32LE(at + 4) === KUBE;
  }
  return false;
}

function nameIn(table: Uint8Array): string {
  const name = readAttributes(table.subarray(NFNETLINK)).get(NAME);
  return name?.toString("latin1").replace(/\0$/, "") ?? "";
}

/** The subsystem is what begin and end ask for; in requests to it the field is not looked at. */
function header(family: number): Buffer {
  return Buffer.from([family, 0, 0, SUBSYSTEM]);
}
