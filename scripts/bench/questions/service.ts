// What does it cost when a Service goes, and when it comes?
import { countLines, timeRestores } from "../bare-restore.ts";
import type { Cost } from "../bench-node.ts";
import { remove, set } from "../changes.ts";
import { manifestsOf } from "../cluster.ts";
import { partialSync } from "../kube-proxy-shape.ts";
import { type LoadedNode, REPEATS } from "../loaded-node.ts";
import type { Measurement } from "../measurement.ts";

interface Answer {
  readonly cost: Cost;
  readonly kubeProxy: number;
  readonly kubeProxyLines: number;
}

/** In the middle of the dispatch chain, where finding the place costs most on average. */
export async function askService(loaded: LoadedNode): Promise<readonly Measurement[]> {
  const removed: Answer[] = [];
  const added: Answer[] = [];
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const manifests = manifestsOf(loaded.nextService(), loaded.size);
    removed.push(await answer(loaded, await loaded.node.apply(remove(manifests))));
    added.push(await answer(loaded, await loaded.node.apply(set(manifests))));
  }
  return [...measurementsOf("one Service removed", removed), ...measurementsOf("one Service added", added)];
}

async function answer({ stopwatch }: LoadedNode, cost: Cost): Promise<Answer> {
  const shape = partialSync(cost.after, cost.before);
  return { cost, kubeProxy: await timeRestores(stopwatch, [shape]), kubeProxyLines: countLines(shape) };
}

function measurementsOf(question: string, answers: readonly Answer[]): readonly Measurement[] {
  const baseline = answers.map(({ kubeProxy }) => kubeProxy);
  const against = "bare restore, kube-proxy's shape";
  const lines = answers.map(({ kubeProxyLines }) => kubeProxyLines);
  return [
    { question, unit: "ms", ours: answers.map(({ cost }) => cost.elapsed), baseline, against },
    { question: `${question}: own work`, unit: "ms", ours: answers.map(({ cost }) => cost.own), baseline, against },
    {
      question: `${question}: lines sent`,
      unit: "lines",
      ours: answers.map(({ cost }) => cost.lines),
      baseline: lines,
      against: "kube-proxy's shape",
    },
  ];
}
