// Follows the objects of a cluster at its API server.
import type { Kind } from "../api/objects.ts";
import { BatchQueue } from "./batch-queue.ts";
import type { ApiConnection } from "./connection.ts";
import { KnownObjects } from "./known-objects.ts";
import { type Abilities, Reflector } from "./reflector.ts";
import { clusterResources, type Resource } from "./resources.ts";
import type { Batch } from "./source.ts";
import { systemTiming, type Timing } from "./timing.ts";

export interface ClusterWatch {
  readonly connection: ApiConnection;
  /** Of the Nodes only this one is followed. */
  readonly nodeName: string;
  readonly signal: AbortSignal;
  /** Takes a line for the operator when the server did not answer as it should: a warning, never a secret. */
  readonly report: (line: string, kind: Kind) => void;
  readonly timing?: Timing;
}

/**
 * Follows Services, EndpointSlices and our Node as kube-proxy does, until the signal is aborted. Nothing that the
 * server does ends it: what is known stays known until it is known to have changed. The connection stays open.
 */
export async function* watchCluster({
  connection,
  nodeName,
  signal,
  report,
  timing = systemTiming,
}: ClusterWatch): AsyncGenerator<Batch, void, undefined> {
  const stop = new AbortController();
  const end = () => stop.abort();
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  const queue = new BatchQueue(timing);
  const abilities: Abilities = { streamsLists: true };
  const reportOf =
    ({ kind }: Resource) =>
    (line: string) =>
      report(line, kind);
  const reflectors = clusterResources(nodeName).map(async (resource) => {
    const known = new KnownObjects(resource, queue);
    const server = { connection, timing };
    const reflector = new Reflector({
      server,
      resource,
      known,
      abilities,
      signal: stop.signal,
      report: reportOf(resource),
    });
    await reflector.run().catch((error: unknown) => queue.fail(error));
  });
  try {
    yield* queue.read(stop.signal);
  } finally {
    end();
    signal.removeEventListener("abort", end);
    await Promise.all(reflectors);
  }
}
