// How long would the tool alone take for all that a starting daemon sends?
import { inputsOf, timeFreshRestores } from "./bare-restore.ts";
import { BenchNode, UNTOUCHED } from "./bench-node.ts";
import { set } from "./changes.ts";
import { allManifests, type Size } from "./cluster.ts";

/** Milliseconds, in a network that nobody touched. */
export async function timeColdRestores(size: Size): Promise<number> {
  const node = await BenchNode.make();
  const wanted = node.want(set(allManifests(size)));
  return timeFreshRestores(inputsOf(wanted, UNTOUCHED, node.means, node.means.variant));
}
