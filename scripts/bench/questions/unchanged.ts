// What does it cost when nothing changed: an object arrives again, or a sync period is over?
import type { Cost } from "../bench-node.ts";
import { set } from "../changes.ts";
import { manifestsOf } from "../cluster.ts";
import { type LoadedNode, REPEATS } from "../loaded-node.ts";
import type { Measurement } from "../measurement.ts";

export async function askUnchanged(loaded: LoadedNode): Promise<readonly Measurement[]> {
  const { node, size, kubeProxy, nextService } = loaded;
  const again: Cost[] = [];
  const resyncs: Cost[] = [];
  // Other questions let a shell change rules behind the node's back. Let it find that all is well before it is asked.
  node.letPeriodPass();
  await node.apply([]);
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    again.push(await node.apply(set(manifestsOf(nextService(), size))));
    node.letPeriodPass();
    resyncs.push(await node.apply([]));
    await kubeProxy.apply([]);
  }
  const baseline = kubeProxy.take().map(({ milliseconds }) => milliseconds);
  return [
    ...measurementsOf("an object again, unchanged", again, baseline),
    ...measurementsOf("a resync", resyncs, baseline),
  ];
}

/** kube-proxy sends its fixed chains whatever happened; the process that lists stale chains is not counted. */
function measurementsOf(question: string, costs: readonly Cost[], baseline: readonly number[]): readonly Measurement[] {
  const against = "bare restore, kube-proxy's shape";
  return [
    { question, unit: "ms", ours: costs.map(({ elapsed }) => elapsed), baseline, against },
    {
      question: `${question}: processes`,
      unit: "processes",
      ours: costs.map(({ processes }) => processes),
      baseline: [1],
      against: "kube-proxy's restore",
    },
  ];
}
