// Ends or adapts the daemon when its Node object changes in a way that needs a restart.
import type { Node } from "../api/objects.ts";
import type { Batch, Source } from "../source/source.ts";
import type { Log } from "../sync/log.ts";
import { FatalError } from "./failure.ts";
import { nodeIn } from "./node-wait.ts";

export interface NodeWatch {
  readonly source: Source;
  readonly nodeName: string;
  /** The Node as it was at start. */
  readonly node: Node | undefined;
  /** Rules were made from its pod ranges: detect-local mode NodeCIDR. */
  readonly usesPodCIDRs: boolean;
  /** Told of each Node object of this node. */
  readonly sawNode: (node: Node) => void;
  readonly log: Log;
}

/**
 * The source, while nothing happens to this node that only a new start can follow: rejects with FatalError when pod
 * ranges that are used have changed. Other addresses, and the end of the Node, are only said, as in kube-proxy.
 */
export async function* watchNode({
  source,
  nodeName,
  node,
  usesPodCIDRs,
  sawNode,
  log,
}: NodeWatch): AsyncGenerator<Batch> {
  let known = node;
  for await (const batch of source) {
    const told = batch.changes.map((change) => nodeIn(change, nodeName)).findLast((each) => each !== undefined);
    if (told && !told.node) log.warn({ node: nodeName }, "Node object was deleted; its last known state stays in use");
    if (told?.node) {
      sawNode(told.node);
      if (usesPodCIDRs) checkPodCIDRs(node?.podCIDRs ?? [], told.node.podCIDRs);
      reportAddresses(known, told.node, log);
      known = told.node;
    }
    yield batch;
  }
}

function checkPodCIDRs(atStart: readonly string[], now: readonly string[]): void {
  if (atStart.join() === now.join()) return;
  throw new FatalError(`the node's podCIDRs changed from [${atStart.join(", ")}] to [${now.join(", ")}]`);
}

function reportAddresses(known: Node | undefined, now: Node, log: Log): void {
  if (!known || known.addresses.join() === now.addresses.join()) return;
  log.warn({ node: now.name, was: known.addresses, is: now.addresses }, "Addresses of the Node changed");
}
