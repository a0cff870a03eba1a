// Does our own work for one change grow with the number of Services?
import { countLines, inputsOf } from "../bare-restore.ts";
import { BenchNode } from "../bench-node.ts";
import { set } from "../changes.ts";
import { allManifests, manifestsOf } from "../cluster.ts";
import type { Measurement } from "../measurement.ts";
import type { Subject } from "../subject.ts";

const FEW = 10;

const REPEATS = 99;

/** From the objects to the last line for the tool, which is not run. */
export async function askGrowth(subject: Subject): Promise<readonly Measurement[]> {
  const few = await timeChanges({ ...subject, size: { ...subject.size, services: FEW } });
  const ours = await timeChanges(subject);
  const question = "one EndpointSlice changed: own work, no tool";
  return [{ question, unit: "ms", ours, baseline: few, against: `the same among ${FEW} Services` }];
}

async function timeChanges({ size, layout }: Subject): Promise<readonly number[]> {
  const node = await BenchNode.make("iptables", layout);
  const times: number[] = [];
  let before = node.want(set(allManifests(size)));
  for (let change = 1; change <= REPEATS; change++) {
    const changes = set(manifestsOf((change * 37) % size.services, size, change));
    const start = performance.now();
    const after = node.want(changes);
    for (const input of inputsOf(after, before, node.means, node.means.variant)) countLines(input);
    times.push(performance.now() - start);
    before = after;
  }
  return times;
}
