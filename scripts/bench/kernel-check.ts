// Compares the kernel's nat rules with those that the objects need.
import { spawnSync } from "node:child_process";
import { printTables } from "../../src/state/iptables-print.ts";
import { BenchNode } from "./bench-node.ts";
import { set } from "./changes.ts";
import type { Manifest } from "./cluster.ts";
import type { Layout } from "./subject.ts";

/** Bytes of the largest table. */
const MOST = 1 << 30;

/** Not compared: above 1,000 endpoints kube-proxy leaves comments out, but only of the chains that it rewrites. */
const COMMENT = / -m comment --comment (?:"[^"]*"|\S+)/;

/** The rules of Services and endpoints: all that objects decide. */
const OF_OBJECTS = /^-A KUBE-(SERVICES|SVC-\w+|SEP-\w+|IX-\S+) /;

/** Rules of table nat that these objects want. */
export async function rulesFor(manifests: readonly Manifest[], layout: Layout): Promise<ReadonlySet<string>> {
  const node = await BenchNode.make("iptables", layout);
  const rules = natRules(printTables(node.want(set(manifests))));
  if (rules.size === 0) throw new Error("there is nothing to be compared");
  return rules;
}

/** The first rule that is on one side only, and on which; undefined: the kernel is right. */
export function findDifference(wanted: ReadonlySet<string>): string | undefined {
  const { stdout } = spawnSync("iptables-save", ["-t", "nat"], { encoding: "utf8", maxBuffer: MOST });
  const held = natRules(stdout.split("\n"));
  for (const rule of wanted) if (!held.has(rule)) return `is missing in the kernel: ${rule}`;
  for (const rule of held) if (!wanted.has(rule)) return `is in the kernel and should not be: ${rule}`;
  return undefined;
}

function natRules(lines: Iterable<string>): ReadonlySet<string> {
  const rules = new Set<string>();
  let table = "";
  for (const line of lines) {
    if (line.startsWith("*")) table = line;
    else if (table === "*nat" && OF_OBJECTS.test(line)) rules.add(line.replace(COMMENT, ""));
  }
  return rules;
}
