// Reads a file with the output of iptables-save, ipset save and ipvsadm from a node.
import { readFile } from "node:fs/promises";
import { text as streamText } from "node:stream/consumers";
import { InputError, RuleSyntaxError } from "../errors.ts";
import type { Family } from "../net/family.ts";
import { failureWords } from "../source/file-failure.ts";
import { STANDARD_INPUT } from "../source/written-objects.ts";
import { type Dump, parseDump } from "../state/dump.ts";

/** The text of a file, or of standard input (`-`). Rejects with InputError that names it. */
export async function readDumpText(path: string, stdin: NodeJS.ReadableStream = process.stdin): Promise<string> {
  if (path === STANDARD_INPUT) return streamText(stdin);
  return readFile(path, "utf8").catch((error: unknown) => {
    throw new InputError({ source: path }, `cannot be read: ${failureWords(error)}`);
  });
}

/** Reads a dump; `family` is that of tables that do not tell. Throws InputError that names file and line. */
export function readDump(path: string, text: string, family?: Family): Dump {
  try {
    return parseDump(text, family);
  } catch (error) {
    throw error instanceof RuleSyntaxError ? new InputError({ source: path }, error.message) : error;
  }
}
