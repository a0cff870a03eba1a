// Follows the objects of a cluster at its API server.
import { BatchQueue } from "./batch-queue.ts";
import type { ApiConnection } from "./connection.ts";
import { KnownObjects } from "./known-objects.ts";
import { type Abilities, Reflector } from "./reflector.ts";
import { clusterResources } from "./resources.ts";
import type { Batch } from "./source.ts";
import { systemTiming, type Timing } from "./timing.ts";
import { ServerAvailability } from "./watch/server-availability.ts";
import { type WatchNotice, type WatchObserver, WatchStatus } from "./watch/watch-status.ts";

export interface ClusterWatch {
  readonly connection: ApiConnection;
  /** Of the Nodes only this one is followed. */
  readonly nodeName: string;
  readonly signal: AbortSignal;
  /** Takes what the operator should know: failures, each with its reason but never a secret, and recoveries. */
  readonly report: (notice: WatchNotice) => void;
  /** Takes the state of each watch, for metrics. */
  readonly observer: WatchObserver;
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
  observer,
  timing = systemTiming,
}: ClusterWatch): AsyncGenerator<Batch, void, undefined> {
  const stop = new AbortController();
  const end = () => stop.abort();
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  const queue = new BatchQueue(timing);
  const abilities: Abilities = { streamsLists: true };
  const availability = new ServerAvailability(connection, timing);
  const status = new WatchStatus(timing, report, observer);
  const shared = { availability, status, timing, abilities, signal: stop.signal };
  const reflectors = clusterResources(nodeName).map(async (resource) => {
    const reflector = new Reflector({ ...shared, resource, known: new KnownObjects(resource, queue) });
    await reflector.run().catch((error: unknown) => queue.fail(error));
  });
  try {
    yield* queue.read(stop.signal);
  } finally {
    end();
    signal.removeEventListener("abort", end);
    await Promise.all(reflectors);
    status.close();
    availability.close();
  }
}
