// How long would the tool alone take for all that a node sends on a kernel that nobody touched?
import type { KernelState } from "../../src/state/kernel-state.ts";
import { inputsOf, type RestoreInput, timeRestores } from "./bare-restore.ts";
import { BenchNode, UNTOUCHED } from "./bench-node.ts";
import { set } from "./changes.ts";
import { allManifests } from "./cluster.ts";
import { restoreSets } from "./loaded-network.ts";
import { Stopwatch } from "./stopwatch.ts";
import type { Subject } from "./subject.ts";

/** Milliseconds for all restores of a starting daemon. */
export async function timeColdRestores({ size, layout }: Subject): Promise<number> {
  const node = await BenchNode.make("iptables", layout);
  const wanted = node.want(set(allManifests(size)));
  return timeFreshRestores(inputsOf(wanted, UNTOUCHED, node.means, node.means.variant), wanted);
}

/** Milliseconds for these restores on the way to a state. Its sets are there already, and are not counted. */
export async function timeFreshRestores(inputs: readonly RestoreInput[], wanted: KernelState): Promise<number> {
  const stopwatch = new Stopwatch("fresh network");
  await restoreSets(stopwatch, wanted);
  const milliseconds = await timeRestores(stopwatch, inputs);
  stopwatch.end();
  return milliseconds;
}
