// How does a network get rules and sets without a node, so that something can be measured over them?
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { printSets } from "../../src/state/ipset-text.ts";
import { wholeIpvs } from "../../src/state/ipvs-whole.ts";
import type { KernelState } from "../../src/state/kernel-state.ts";
import { inputsOf, timeRestores } from "./bare-restore.ts";
import { BenchNode, UNTOUCHED } from "./bench-node.ts";
import { set } from "./changes.ts";
import { allManifests } from "./cluster.ts";
import { FOLDER } from "./sandbox.ts";
import { Stopwatch } from "./stopwatch.ts";
import type { Subject } from "./subject.ts";

/** Makes and fills the sets that rules name, which the tool refuses otherwise. */
export async function restoreSets(stopwatch: Stopwatch, state: KernelState): Promise<void> {
  const lines = printSets(wholeIpvs(state).sets);
  if (lines.length === 0) return;
  const path = join(FOLDER, "sets");
  writeFileSync(path, lines.map((line) => `${line}\n`).join(""));
  await stopwatch.time(`ipset restore < ${path}`);
}

/** A shell in a network of its own that serves the whole cluster. */
export async function loadNetwork({ size, layout }: Pick<Subject, "size" | "layout">): Promise<Stopwatch> {
  const node = await BenchNode.make("iptables", layout);
  const wanted = node.want(set(allManifests(size)));
  const stopwatch = new Stopwatch("fresh network");
  await restoreSets(stopwatch, wanted);
  await timeRestores(stopwatch, inputsOf(wanted, UNTOUCHED, node.means, node.means.variant));
  return stopwatch;
}
