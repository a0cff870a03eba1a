// How long does a node take to find that the kernel is right, when it is started again?
import type { LoadedNode } from "../loaded-node.ts";
import type { Measurement } from "../measurement.ts";

const REPEATS = 3;

export async function askRestart({ node, stopwatch }: LoadedNode): Promise<readonly Measurement[]> {
  const ours: number[] = [];
  const lines: number[] = [];
  const baseline: number[] = [];
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    node.restart();
    const cost = await node.apply([]);
    ours.push(cost.elapsed);
    lines.push(cost.lines);
    baseline.push(await stopwatch.time("iptables-save"));
  }
  const question = "restart over a right kernel";
  const nothing = lines.map(() => 0);
  return [
    { question, unit: "ms", ours, baseline, against: "bare iptables-save" },
    { question: `${question}: lines sent`, unit: "lines", ours: lines, baseline: nothing, against: "nothing to do" },
  ];
}
