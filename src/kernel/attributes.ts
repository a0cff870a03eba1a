// How are netlink attributes written and read? Length, type, value, zero bytes up to a multiple of four.
import { KernelError } from "../errors.ts";

/** Length and type, in the byte order of the host, which is little-endian on every machine that we run on. */
const HEADER = 4;

/** Set in the type of an attribute that holds attributes. */
const NESTED = 0x8000;

/** A type without what is said beside it: NESTED, and that the value is in network byte order (0x4000). */
const TYPE = 0x3fff;

/** Values by type. Of two attributes of one type the last one counts, as it does in the kernel. */
export type Attributes = ReadonlyMap<number, Buffer>;

/** One attribute, padded. `type` may have the bit 0x4000 set; it is written as it is. */
export function attribute(type: number, value: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(align(HEADER + value.length));
  bytes.fill(0, HEADER + value.length);
  bytes.writeUInt16LE(HEADER + value.length, 0);
  bytes.writeUInt16LE(type, 2);
  bytes.set(value, HEADER);
  return bytes;
}

/** An attribute that holds attributes. */
export function nested(type: number, ...inner: readonly Uint8Array[]): Buffer {
  return attribute(NESTED | type, Buffer.concat(inner));
}

/** The attributes that fill `bytes`; values share its memory. Throws KernelError for what is cut off in the midst. */
export function readAttributes(bytes: Uint8Array): Attributes {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const attributes = new Map<number, Buffer>();
  for (let at = 0; at < buffer.length; ) {
    const length = at + HEADER > buffer.length ? 0 : buffer.readUInt16LE(at);
    if (length < HEADER || at + length > buffer.length) throw misread("attributes", "an attribute is cut off");
    attributes.set(buffer.readUInt16LE(at + 2) & TYPE, buffer.subarray(at + HEADER, at + length));
    at += align(length);
  }
  return attributes;
}

/** The next multiple of four. */
export function align(length: number): number {
  return (length + 3) & ~3;
}

/** What the kernel said is not what it should be. */
export function misread(target: string, words: string): KernelError {
  return new KernelError({ step: "netlink", target, code: "EBADMSG", words });
}
