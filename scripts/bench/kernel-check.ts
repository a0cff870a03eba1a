// Does the kernel hold what these objects want?
import { spawnSync } from "node:child_process";
import { printTables } from "../../src/state/iptables-print.ts";
import { BenchNode } from "./bench-node.ts";
import { set } from "./changes.ts";
import type { Manifest } from "./cluster.ts";

/** Bytes of the largest table. */
const MOST = 1 << 30;

/** The rules of Services and endpoints: all that objects decide. */
const OF_OBJECTS = /^-A KUBE-(SERVICES|SVC-\w+|SEP-\w+) /;

/** Throws an Error that names the first rule which is on one side only. */
export async function checkKernel(manifests: readonly Manifest[]): Promise<void> {
  const node = await BenchNode.make();
  const wanted = natRules(printTables(node.want(set(manifests))));
  const { stdout } = spawnSync("iptables-save", ["-t", "nat"], { encoding: "utf8", maxBuffer: MOST });
  const held = natRules(stdout.split("\n"));
  for (const [name, rules, others] of [
    ["is missing in the kernel", wanted, held],
    ["is in the kernel and should not be", held, wanted],
  ] as const) {
    for (const rule of rules) if (!others.has(rule)) throw new Error(`${name}: ${rule}`);
  }
  if (wanted.size === 0) throw new Error("nothing was compared");
}

function natRules(lines: Iterable<string>): ReadonlySet<string> {
  const rules = new Set<string>();
  let table = "";
  for (const line of lines) {
    if (line.startsWith("*")) table = line;
    else if (table === "*nat" && OF_OBJECTS.test(line)) rules.add(line);
  }
  return rules;
}
