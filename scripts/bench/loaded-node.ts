// What does a question need that is about a node which serves the whole cluster already?
import { BenchNode } from "./bench-node.ts";
import { set } from "./changes.ts";
import { allManifests } from "./cluster.ts";
import { KubeProxyNetwork } from "./kube-proxy-shape.ts";
import { Stopwatch } from "./stopwatch.ts";
import type { Subject } from "./subject.ts";

/** A node that is up to date, and a shell in the same network. */
export interface LoadedNode extends Subject {
  readonly node: BenchNode;
  readonly stopwatch: Stopwatch;
  readonly kubeProxy: KubeProxyNetwork;
  /** A Service in the middle of the order, another one each time. */
  readonly nextService: () => number;
}

/** Each question is asked so often. */
export const REPEATS = 9;

export async function loadNode(subject: Subject): Promise<LoadedNode> {
  const { size, layout } = subject;
  const node = await BenchNode.make("iptables", layout);
  await node.apply(set(allManifests(size)));
  const kubeProxy = await KubeProxyNetwork.load(size);
  let service = size.services >> 1;
  const nextService = () => service++ % size.services;
  return { ...subject, node, stopwatch: new Stopwatch("here"), kubeProxy, nextService };
}
