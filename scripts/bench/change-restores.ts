// How long would the tool alone take for changes that a daemon has brought to the kernel, one after the other?
import { inputsOf, timeRestores } from "./bare-restore.ts";
import { BenchNode } from "./bench-node.ts";
import { set } from "./changes.ts";
import { allManifests, changedService, manifestsOf } from "./cluster.ts";
import { KubeProxyNetwork } from "./kube-proxy-shape.ts";
import { Stopwatch } from "./stopwatch.ts";
import type { Subject } from "./subject.ts";

/** Milliseconds for each change. To be asked over the kernel that the daemon left: all its chains are there. */
export async function timeChangeRestores({ size, layout }: Subject, changes: number): Promise<readonly number[]> {
  const times: number[] = [];
  const stopwatch = new Stopwatch("here");
  const node = await BenchNode.make("iptables", layout);
  let before = node.want(set(allManifests(size)));
  for (let change = 1; change <= changes; change++) {
    const after = node.want(set(manifestsOf(changedService(size, change), size, change)));
    times.push(await timeRestores(stopwatch, inputsOf(after, before, node.means, node.means.variant)));
    before = after;
  }
  stopwatch.end();
  return times;
}

/** Milliseconds for the same changes as kube-proxy would send them; where they are slow, for the first few. */
export async function timeKubeProxyChanges({ size }: Subject, changes: number): Promise<readonly number[]> {
  const network = await KubeProxyNetwork.load(size);
  for (let change = 1; change <= changes; change++) {
    await network.apply(set(manifestsOf(changedService(size, change), size, change)));
  }
  network.end();
  return network.take().map(({ milliseconds }) => milliseconds);
}
