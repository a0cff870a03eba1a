// How is a change of tables written for `iptables-restore --noflush`?
import type { TableChange } from "./plan.ts";

/** The restore input, line by line with line ends. One transaction for each table. */
export function* restoreText(changes: readonly TableChange[]): Iterable<string> {
  for (const { table, clear, rules, remove } of changes) {
    yield `*${table}\n`;
    for (const chain of clear) yield `:${chain} - [0:0]\n`;
    for (const rule of rules) yield `${rule}\n`;
    for (const chain of remove) yield `-X ${chain}\n`;
    yield "COMMIT\n";
  }
}
