// How are attributes read that are all of one type, one behind the other?
import { align, misread } from "./attributes.ts";

const HEADER = 4;

/** The values, in order; they share the memory of `bytes`. Throws KernelError for one that is cut off. */
export function readList(bytes: Buffer): readonly Buffer[] {
  const values: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = at + HEADER > bytes.length ? 0 : bytes.readUInt16LE(at);
    if (length < HEADER || at + length > bytes.length) throw misread("attributes", "an attribute is cut off");
    values.push(bytes.subarray(at + HEADER, at + length));
    at += align(length);
  }
  return values;
}
