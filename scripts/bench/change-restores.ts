// How long would the tool alone take for changes that a daemon has brought to the kernel, one after the other?
import { inputsOf, timeRestores } from "./bare-restore.ts";
import { BenchNode } from "./bench-node.ts";
import { set } from "./changes.ts";
import { allManifests, changedService, manifestsOf, type Size } from "./cluster.ts";
import { partialSync } from "./kube-proxy-shape.ts";
import { Stopwatch } from "./stopwatch.ts";

/** Milliseconds, one figure for each change. */
export interface ChangeRestores {
  readonly same: readonly number[];
  readonly kubeProxy: readonly number[];
}

/** To be asked over the kernel that the daemon left: all its chains are there. */
export async function timeChangeRestores(size: Size, changes: number): Promise<ChangeRestores> {
  const [same, kubeProxy]: [number[], number[]] = [[], []];
  const stopwatch = new Stopwatch("here");
  const node = await BenchNode.make();
  let before = node.want(set(allManifests(size)));
  for (let change = 1; change <= changes; change++) {
    const after = node.want(set(manifestsOf(changedService(size, change), size, change)));
    same.push(await timeRestores(stopwatch, inputsOf(after, before, node.means, node.means.variant)));
    kubeProxy.push(await timeRestores(stopwatch, [partialSync(after, before)]));
    before = after;
  }
  stopwatch.end();
  return { same, kubeProxy };
}
