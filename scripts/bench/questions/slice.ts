// What does it cost when one endpoint of one Service is replaced by another?
import { countLines, inputsOf, timeRestores } from "../bare-restore.ts";
import type { Cost } from "../bench-node.ts";
import { set } from "../changes.ts";
import { manifestsOf } from "../cluster.ts";
import { partialSync } from "../kube-proxy-shape.ts";
import { type LoadedNode, REPEATS } from "../loaded-node.ts";
import type { Measurement } from "../measurement.ts";

interface Answer {
  readonly cost: Cost;
  /** Milliseconds: the same lines, and what kube-proxy would send, by the tool alone. */
  readonly bare: number;
  readonly kubeProxy: number;
  readonly kubeProxyLines: number;
}

export async function askSlice(loaded: LoadedNode): Promise<readonly Measurement[]> {
  const answers: Answer[] = [];
  for (let change = 1; change <= REPEATS; change++) answers.push(await changeSlice(loaded, change));
  const ours = answers.map(({ cost }) => cost.elapsed);
  const bare = answers.map((answer) => answer.bare);
  const kubeProxy = answers.map((answer) => answer.kubeProxy);
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
      baseline: answers.map(({ kubeProxyLines }) => kubeProxyLines),
      against: "kube-proxy's shape",
    },
  ];
}

async function changeSlice({ node, size, stopwatch, nextService }: LoadedNode, change: number): Promise<Answer> {
  const cost = await node.apply(set(manifestsOf(nextService(), size, change)));
  // Chains are emptied and filled alike whether they are new or not, so the same text can be sent once more.
  const bare = await timeRestores(stopwatch, inputsOf(cost.after, cost.before, node.means, node.means.variant));
  const shape = partialSync(cost.after, cost.before);
  const kubeProxy = await timeRestores(stopwatch, [shape]);
  return { cost, bare, kubeProxy, kubeProxyLines: countLines(shape) };
}
