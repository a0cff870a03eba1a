// How are bytes kept in a file that people read? As pairs of digits, with `#` in front of what is said about them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { FIXTURES } from "./golden.ts";

/** The bytes of text such as `02 00 0a f4`, and the lines said about them. */
export interface Hex {
  readonly bytes: Buffer;
  readonly comments: readonly string[];
}

export function hexOf(text: string): Hex {
  const lines = text.split("\n");
  const comments = lines.filter((line) => line.startsWith("#")).map((line) => line.slice(1).trim());
  const digits = lines.filter((line) => !line.startsWith("#")).join("");
  return { bytes: Buffer.from(digits.replaceAll(" ", ""), "hex"), comments };
}

/** A file of `fixtures/kernel/conntrack`, without its ending. */
export function conntrackFixture(name: string): Hex {
  return hexOf(readFileSync(join(FIXTURES, "kernel/conntrack", `${name}.hex`), "utf8"));
}
