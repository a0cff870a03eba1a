// How are numbers and names written as values of attributes, and read from them?
import { type Attributes, misread } from "./attributes.ts";

/** Two bytes in the byte order of the host. Throws RangeError for what does not fit, as do all of these. */
export function hostUint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

export function hostUint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** Two bytes in network order. */
export function networkUint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

export function networkUint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** A name as the kernel takes it, with a zero byte behind. */
export function nameBytes(name: string): Buffer {
  return Buffer.from(`${name}\0`);
}

/** A name as the kernel gives it, up to the first zero byte. */
export function readName(value: Buffer): string {
  const end = value.indexOf(0);
  return value.toString("utf8", 0, end < 0 ? value.length : end);
}

/** What an attribute must be like. */
export interface Wanted {
  readonly type: number;
  /** Its lengths in bytes; any, where left out. */
  readonly lengths?: readonly number[];
  /** Who speaks, for the refusal. */
  readonly target: string;
}

/** The value of an attribute that must be there. Throws KernelError where it is missing, or of another length. */
export function requiredValue(attributes: Attributes, { type, lengths, target }: Wanted): Buffer {
  const value = attributes.get(type);
  if (value === undefined) throw misread(target, `attribute ${type} is missing`);
  if (lengths === undefined || lengths.includes(value.length)) return value;
  throw misread(target, `attribute ${type} has ${value.length} bytes instead of ${lengths.join(" or ")}`);
}
