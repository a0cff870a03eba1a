// Opens the source of the node proxy's objects, an API server or manifest files, and the sink of its Events.
import { hostname } from "node:os";
import type { InputError } from "../errors.ts";
import { printDuration } from "../options/duration.ts";
import type { Options } from "../options/options.ts";
import type { PluginObserver, RequestObserver } from "../serve/metrics-requests.ts";
import { connectCluster } from "../source/api-connection.ts";
import { createEventRecorder, type EventRecorder, NO_EVENTS } from "../source/events.ts";
import { watchManifests } from "../source/manifest-watch.ts";
import { observedConnection } from "../source/observed-connection.ts";
import type { Source } from "../source/source.ts";
import { systemTiming } from "../source/timing.ts";
import type { WatchNotice, WatchObserver } from "../source/watch/watch-status.ts";
import { watchCluster } from "../source/watch-cluster.ts";
import type { Log } from "../sync/log.ts";
import { NODE_PATIENCE, type NodePatience } from "./node-wait.ts";

export interface ObjectsInput {
  /** Files and directories; none: the API server. */
  readonly manifests: readonly string[];
  readonly options: Options;
  /** Goes before the address of the kubeconfig; empty: none. */
  readonly master: string;
  readonly nodeName: string;
  readonly version: string;
  readonly requests: RequestObserver;
  readonly pluginCalled: PluginObserver;
  readonly watches: WatchObserver;
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Takes why Nodes cannot be read, in words for people. */
  readonly nodeFailed: (reason: string) => void;
  /** Takes what of the manifests cannot be read, each time they were looked at. */
  readonly sawManifests: (unreadable: readonly InputError[]) => void;
}

export interface Objects {
  readonly source: Source;
  /** Nothing can be done without the Node's pod ranges. */
  readonly needsPodCIDRs: boolean;
  /** How long this node's object is waited for: what files do not say does not come by itself. */
  readonly patience: NodePatience;
  readonly events: EventRecorder;
  close(): Promise<void>;
}

/** Opens the source; the server itself is not asked yet. Rejects with InputError where no way to one can be read. */
export async function openObjects(input: ObjectsInput): Promise<Objects> {
  if (input.manifests.length > 0) return fromManifests(input);
  const { options, master, nodeName, version, requests, pluginCalled, watches, signal, log, nodeFailed } = input;
  const warn = (reason: string) => log.warn({ reason }, "API server");
  const report = (notice: WatchNotice) => {
    if (notice.type === "failed" && notice.kind === "Node") nodeFailed(notice.reason);
    logNotice(notice, connection.server, log);
  };
  const userAgent = `kube-proxy/${version} (${process.platform}/${process.arch}) fairlead`;
  const connected = await connectCluster({ client: options.client, master, userAgent, warn, pluginCalled });
  const connection = observedConnection(connected, requests);
  log.info({ server: connection.server }, "Following the API server");
  const complain = (reason: string) => log.warn({ reason }, "Event");
  const reporter = { nodeName, hostname: hostname(), now: Date.now };
  const events = createEventRecorder({ ...reporter, connection, timing: systemTiming, complain });
  return {
    source: watchCluster({ connection, nodeName, signal, report, observer: watches }),
    needsPodCIDRs: options.detectLocalMode === "NodeCIDR",
    patience: NODE_PATIENCE,
    events,
    close: async () => {
      await events.close();
      await connection.close();
    },
  };
}

/** Each reason is logged once in an outage, then its end with what changed meanwhile. */
function logNotice(notice: WatchNotice, server: string, log: Log): void {
  if (notice.type === "failed") {
    const { scope, resource, reason, isNew, wasConnected } = notice;
    const fields = { server, resource, reason };
    if (!isNew) log.debug(4, fields, "Retrying");
    else if (scope === "resource") log.warn(fields, "Cannot read objects from the API server; retrying");
    else if (wasConnected) log.warn(fields, "Lost the connection to the API server; retrying");
    else log.warn(fields, "Cannot connect to the API server; retrying");
  } else {
    const { scope, changes, wasConnected } = notice;
    const duration = printDuration(BigInt(roundDuration(notice.duration)) * 1_000_000n);
    const total = Object.values(changes).reduce((sum, count) => sum + count, 0);
    const fields = { server, duration, changes: total, ...changes };
    if (scope === "resource") log.info(fields, "Reading objects from the API server again");
    else log.info(fields, wasConnected ? "Reconnected to the API server" : "Connected to the API server");
  }
}

/** Milliseconds, to the second where there are some. */
function roundDuration(duration: number): number {
  return duration < 10_000 ? Math.round(duration) : Math.round(duration / 1000) * 1000;
}

function fromManifests({ manifests, signal, sawManifests }: ObjectsInput): Objects {
  return {
    source: watchManifests(manifests, signal, sawManifests),
    needsPodCIDRs: false,
    patience: { addresses: 0, podCIDRs: 0 },
    events: NO_EVENTS,
    close: async () => {},
  };
}
