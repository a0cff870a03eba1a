// What does it cost when a Service goes, and when it comes?
import type { Change } from "../../../src/source/source.ts";
import type { Cost } from "../bench-node.ts";
import { remove, set } from "../changes.ts";
import { manifestsOf } from "../cluster.ts";
import type { KubeProxyCost } from "../kube-proxy-shape.ts";
import { type LoadedNode, REPEATS } from "../loaded-node.ts";
import type { Measurement } from "../measurement.ts";

interface Answer {
  readonly cost: Cost;
  readonly kubeProxy: readonly KubeProxyCost[];
}

/** In the middle of the dispatch chain, where finding the place costs most on average. */
export async function askService(loaded: LoadedNode): Promise<readonly Measurement[]> {
  const [removed, added]: [Answer[], Answer[]] = [[], []];
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const manifests = manifestsOf(loaded.nextService(), loaded.size);
    removed.push(await answer(loaded, remove(manifests)));
    added.push(await answer(loaded, set(manifests)));
  }
  return [...measurementsOf("one Service removed", removed), ...measurementsOf("one Service added", added)];
}

async function answer({ node, kubeProxy }: LoadedNode, changes: readonly Change[]): Promise<Answer> {
  const cost = await node.apply(changes);
  await kubeProxy.apply(changes);
  return { cost, kubeProxy: kubeProxy.take() };
}

function measurementsOf(question: string, answers: readonly Answer[]): readonly Measurement[] {
  const shape = answers.flatMap(({ kubeProxy }) => kubeProxy);
  const baseline = shape.map(({ milliseconds }) => milliseconds);
  const against = "bare restore, kube-proxy's shape";
  return [
    { question, unit: "ms", ours: answers.map(({ cost }) => cost.elapsed), baseline, against },
    { question: `${question}: own work`, unit: "ms", ours: answers.map(({ cost }) => cost.own), baseline, against },
    {
      question: `${question}: lines sent`,
      unit: "lines",
      ours: answers.map(({ cost }) => cost.lines),
      baseline: shape.map(({ lines }) => lines),
      against: "kube-proxy's shape",
    },
  ];
}
