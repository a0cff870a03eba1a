// How is a chain brought up to date whose rules stay in their places, most of them as they are?
import type { Chain, TableName } from "../state/kernel-state.ts";
import { isOurChain } from "../state/ownership.ts";
import { tailOf, targetOf } from "../state/rule.ts";

/**
 * Lines that replace the rules which differ, each in its place (`-R CHAIN 3 …`); undefined where the chain is to be
 * written whole: it got longer or shorter, more than half of it differs, or what differs leads to no chain of ours. For
 * it pays only where rules lead to chains: iptables-nft-restore searches one list for each chain that a line names. And
 * only there a place is checked: if somebody moved the rules since `actual`, another one still leads to the chain of the
 * endpoint that goes, and the kernel refuses to let go of it.
 */
export function replacements(
  table: TableName,
  wanted: Chain,
  actual: Chain | undefined,
): readonly string[] | undefined {
  const { name, rules } = wanted;
  if (actual?.rules.length !== rules.length) return undefined;
  const lines: string[] = [];
  for (const [index, { line }] of rules.entries()) {
    const before = actual.rules[index]?.line;
    if (line === before) continue;
    if (!leadsOn(table, line) || !leadsOn(table, before)) return undefined;
    lines.push(`-R ${name} ${index + 1}${tailOf(line)}`);
  }
  return 2 * lines.length > rules.length ? undefined : lines;
}

function leadsOn(table: TableName, line: string | undefined): boolean {
  return line !== undefined && isOurChain(table, targetOf(line));
}
