// What does it cost when one endpoint of one Service is replaced by another?
import { inputsOf, timeRestores } from "../bare-restore.ts";
import type { Cost } from "../bench-node.ts";
import { set } from "../changes.ts";
import { manifestsOf } from "../cluster.ts";
import { type LoadedNode, REPEATS } from "../loaded-node.ts";
import type { Measurement } from "../measurement.ts";

interface Answer {
  readonly cost: Cost;
  /** Milliseconds: the same lines, by the tool alone. */
  readonly bare: number;
}

export async function askSlice(loaded: LoadedNode): Promise<readonly Measurement[]> {
  const answers: Answer[] = [];
  for (let change = 1; change <= REPEATS; change++) answers.push(await changeSlice(loaded, change));
  const ours = answers.map(({ cost }) => cost.elapsed);
  const bare = answers.map((answer) => answer.bare);
  const shape = loaded.kubeProxy.take();
  const kubeProxy = shape.map(({ milliseconds }) => milliseconds);
  const question = "one EndpointSlice changed";
  return [
    { question, unit: "ms", ours, baseline: bare, against: "bare restore of the same lines" },
    { question: `${question} *`, unit: "ms", ours, baseline: kubeProxy, against: "bare restore, kube-proxy's shape" },
    {
      question: `${question}: own work`,
      unit: "ms",
      ours: answers.map(({ cost }) => cost.own),
      baseline: bare,
      against: "bare restore of the same lines",
    },
    {
      question: `${question}: lines sent`,
      unit: "lines",
      ours: answers.map(({ cost }) => cost.lines),
      baseline: shape.map(({ lines }) => lines),
      against: "kube-proxy's shape",
    },
  ];
}

async function changeSlice(loaded: LoadedNode, change: number): Promise<Answer> {
  const { node, size, stopwatch, kubeProxy } = loaded;
  const changes = set(manifestsOf(loaded.nextService(), size, change));
  const cost = await node.apply(changes);
  // Chains are emptied and filled alike whether they are new or not, so the same text can be sent once more.
  const bare = await timeRestores(stopwatch, inputsOf(cost.after, cost.before, node.means, node.means.variant));
  await kubeProxy.apply(changes);
  return { cost, bare };
}
