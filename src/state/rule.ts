// When are two rule lines the same rule, and where does a rule lead?
import type { Rule } from "./kernel-state.ts";

const PROTOCOL_NAMES: ReadonlyMap<string, string> = new Map([
  ["6", "tcp"],
  ["17", "udp"],
  ["132", "sctp"],
]);

/**
 * A line of `iptables-save` as version 1.8.9 would have printed it. Only 1.8.7 (nft) differs: it leaves a blank behind a
 * rule without target, and writes numbers for protocols where `/etc/protocols` is missing.
 */
export function canonicalLine(line: string): string {
  const trimmed = line.trimEnd();
  const start = trimmed.indexOf(" -p ") + 4;
  if (start < 4) return trimmed;
  const blank = trimmed.indexOf(" ", start);
  const end = blank < 0 ? trimmed.length : blank;
  const name = PROTOCOL_NAMES.get(trimmed.slice(start, end));
  // The protocol stands before all matches, so what follows a quotation mark is the text of a comment.
  if (name === undefined || trimmed.lastIndexOf('"', start) >= 0) return trimmed;
  return trimmed.slice(0, start) + name + trimmed.slice(end);
}

/** The chain that a line belongs to. */
export function chainOf(line: string): string {
  const end = line.indexOf(" ", 3);
  return line.slice(3, end < 0 ? undefined : end);
}

/** What a line says, whichever chain it stands in. */
export function tailOf(line: string): string {
  return line.slice(3 + chainOf(line).length);
}

/** Do two lists of rules say the same, in the same order? */
export function sameLines(a: readonly Rule[], b: readonly Rule[]): boolean {
  return a.length === b.length && a.every((rule, index) => rule.line === b[index]?.line);
}

/** Where a line jumps or goes to, chain or target; undefined for a rule that only counts. */
export function targetOf(line: string): string | undefined {
  const plain = line.includes('"') ? line.replace(/"(?:[^"\\]|\\.)*"/g, '""') : line;
  return / -[jg] (\S+)/.exec(plain)?.[1];
}
