// What does a question need that is about a node which serves the whole cluster already?
import { BenchNode } from "./bench-node.ts";
import { set } from "./changes.ts";
import { allManifests, type Size } from "./cluster.ts";
import { Stopwatch } from "./stopwatch.ts";

/** A node that is up to date, and a shell in the same network. */
export interface LoadedNode {
  readonly size: Size;
  readonly node: BenchNode;
  readonly stopwatch: Stopwatch;
  /** A Service in the middle of the order, another one each time. */
  readonly nextService: () => number;
}

/** Each question is asked so often. */
export const REPEATS = 9;

export async function loadNode(size: Size): Promise<LoadedNode> {
  const node = await BenchNode.make();
  await node.apply(set(allManifests(size)));
  let service = size.services >> 1;
  const nextService = () => service++ % size.services;
  return { size, node, stopwatch: new Stopwatch("here"), nextService };
}
