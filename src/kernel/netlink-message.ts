// Encodes netlink messages and finds them in the answers.
import { getSystemErrorName } from "node:util";
import { align, misread } from "./attributes.ts";

/** Bytes in front of each message: length, type, flags, sequence, port; in the byte order of the host. */
export const HEADER = 16;

/** Flags of requests, as linux/netlink.h numbers them. */
export const FLAG = { request: 0x1, ack: 0x4, replace: 0x100, excl: 0x200, create: 0x400, dump: 0x300 } as const;

/** Types of messages that are about other messages. */
export const TYPE = { error: 2, done: 3 } as const;

/** The kernel's mark on a dump during which what it walks through changed. */
export const INTERRUPTED = 0x10;

/** One request: a subsystem's type, flags from `FLAG` (`request` is added), and all that stands behind the header. */
export interface Request {
  readonly type: number;
  readonly flags: number;
  readonly payload: Uint8Array;
}

/** One message of an answer. */
export interface Message {
  readonly type: number;
  readonly interrupted: boolean;
  /** That of the request. */
  readonly sequence: number;
  /** Shares the memory of the datagram. */
  readonly payload: Buffer;
}

/** Bytes that a request takes up in a send. */
export function sizeOf({ payload }: Request): number {
  return align(HEADER + payload.length);
}

/** Requests one behind the other, numbered from `first` on; only the last one asks for an acknowledgement. */
export function frame(requests: readonly Request[], first: number): Buffer {
  const bytes = Buffer.alloc(requests.reduce((sum, request) => sum + sizeOf(request), 0));
  let at = 0;
  let sequence = first;
  for (const { type, flags, payload } of requests) {
    const end = at + align(HEADER + payload.length);
    bytes.writeUInt32LE(HEADER + payload.length, at);
    bytes.writeUInt16LE(type, at + 4);
    bytes.writeUInt16LE(FLAG.request | flags | (end === bytes.length ? FLAG.ack : 0), at + 6);
    bytes.writeUInt32LE(sequence++, at + 8);
    bytes.set(payload, at + HEADER);
    at = end;
  }
  return bytes;
}

/** The messages of one datagram. Throws KernelError for one that is cut off. */
export function readMessages(datagram: Buffer): readonly Message[] {
  const messages: Message[] = [];
  for (let at = 0; at < datagram.length; ) {
    const length = at + HEADER > datagram.length ? 0 : datagram.readUInt32LE(at);
    if (length < HEADER || at + length > datagram.length) throw misread("answer", "a message is cut off");
    messages.push({
      type: datagram.readUInt16LE(at + 4),
      interrupted: (datagram.readUInt16LE(at + 6) & INTERRUPTED) !== 0,
      sequence: datagram.readUInt32LE(at + 8),
      payload: datagram.subarray(at + HEADER, at + length),
    });
    at += align(length);
  }
  return messages;
}

/** The positive errno in a message of type `error` or `done`; 0 where all is well. Throws KernelError without one. */
export function errnoOf({ payload }: Message): number {
  if (payload.length < 4) throw misread("answer", "an acknowledgement is cut off");
  return Math.max(0, -payload.readInt32LE(0));
}

/** `ENOENT` and its like; a plain number where the kernel has codes of its own. */
export function errnoName(errno: number): string {
  const name = getSystemErrorName(-errno);
  return /^E[A-Z0-9]+$/.test(name) ? name : String(errno);
}
