// What does the kernel hold of our tables, as its own tool prints it?
import type { RunCommand } from "../../src/kernel/command.ts";
import { iptablesOf } from "../../src/kernel/iptables.ts";
import type { Family } from "../../src/net/family.ts";

/** Tables by name, without comments, counters of policies and the policies themselves: what a golden file holds. */
export async function savedTables(run: RunCommand, family: Family): Promise<readonly string[]> {
  const text = await run({ program: `${iptablesOf(family)}-save`, args: [] });
  const lines = text.split("\n").filter((line) => !/^(#|$|:\S+ (ACCEPT|DROP) )/.test(line));
  const tables = lines.join("\n").split(/(?<=^COMMIT$)\n/m);
  const ours = tables.filter((table) => /^\*(filter|mangle|nat)$/m.test(table)).sort();
  return ours.join("\n").split("\n");
}
