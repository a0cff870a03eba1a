// When are two rule lines the same rule, and where does a rule lead?

const PROTOCOL_NUMBERS: ReadonlyMap<string, string> = new Map([
  ["6", "tcp"],
  ["17", "udp"],
  ["132", "sctp"],
]);

/**
 * A line of `iptables-save` as version 1.8.9 would have printed it. 1.8.7 (nft) leaves a blank behind a rule without
 * target, and writes numbers for protocols where `/etc/protocols` is missing.
 */
export function canonicalLine(line: string): string {
  const trimmed = line.trimEnd();
  if (!/ -p (?:6|17|132) /.test(trimmed)) return trimmed;
  return trimmed.replace(/ -p (6|17|132) /, (_, number: string) => ` -p ${PROTOCOL_NUMBERS.get(number)} `);
}

/** The chain that a line belongs to. */
export function chainOf(line: string): string {
  const end = line.indexOf(" ", 3);
  return line.slice(3, end < 0 ? undefined : end);
}

/** Where a line jumps or goes to, chain or target; undefined for a rule that only counts. */
export function targetOf(line: string): string | undefined {
  const plain = line.includes('"') ? line.replace(/"(?:[^"\\]|\\.)*"/g, '""') : line;
  return / -[jg] (\S+)/.exec(plain)?.[1];
}
