// Follows a test's API server as the daemon does, with shortened delays.
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Test } from "tap";
import { printIdentity, printObject } from "../../../src/api/object-name.ts";
import type { KubernetesObject, Snapshot } from "../../../src/api/objects.ts";
import type { ApiConnection } from "../../../src/source/connection.ts";
import { clusterResources } from "../../../src/source/resources.ts";
import type { Batch, Change } from "../../../src/source/source.ts";
import type { Timing } from "../../../src/source/timing.ts";
import { Tracker } from "../../../src/source/tracker.ts";
import { readObject } from "../../../src/source/triggered-object.ts";
import type { WatchNotice, WatchObserver } from "../../../src/source/watch/watch-status.ts";
import { watchCluster } from "../../../src/source/watch-cluster.ts";
import type { ApiServer } from "./server.ts";
import { connectTo } from "./test-connection.ts";

/** Time in which waiting is short, and nothing but waiting takes any. */
export interface QuickTiming extends Timing {
  /** How long each wait was to be, in milliseconds. */
  readonly delays: readonly number[];
  /** Lets so many milliseconds be over. */
  advance(milliseconds: number): void;
}

/** Milliseconds: longer ones limit how long an answer may take, which must not pass by on a busy machine. */
const LIMITS = { from: 10_000, taken: 2_000 };

/** Waits so many times shorter than asked; chance is always in the middle. */
export function quickTiming(factor = 100): QuickTiming {
  const delays: number[] = [];
  let time = 0;
  const reach = (moment: number) => {
    time = Math.max(time, moment);
  };
  return {
    delays,
    advance: (milliseconds) => reach(time + milliseconds),
    now: () => time,
    after: (delay, callback) => {
      delays.push(delay);
      const due = time + delay;
      const taken = delay < LIMITS.from ? delay / factor : Math.max(delay / factor, LIMITS.taken);
      const timer = setTimeout(() => {
        reach(due);
        callback();
      }, taken);
      return () => clearTimeout(timer);
    },
    random: () => 0.5,
  };
}

/** `set Service shop/web`, `delete Node n1`, `complete Node`. */
export function printChange(change: Change): string {
  if (change.type === "complete") return `complete ${change.kind}`;
  return change.type === "set" ? `set ${printObject(change.object)}` : `delete ${printIdentity(change.identity)}`;
}

/** Takes the state of watches and does nothing with it. */
export const NO_OBSERVER: WatchObserver = { connected() {}, heard() {}, listed() {} };

export interface FollowedCluster {
  readonly batches: readonly Batch[];
  /** Reasons of all failures. */
  readonly reports: readonly string[];
  readonly notices: readonly WatchNotice[];
  /** The last state of each watch that metrics were given. */
  readonly connected: ReadonlyMap<string, boolean>;
  /** All changes so far, printed. */
  changes(): readonly string[];
  problems(): readonly string[];
  snapshot(): Snapshot | undefined;
  /** Objects that we and the server do not have alike, such as `Service ns/web`. */
  differences(): readonly string[];
  /** Waits until it is so; fails the test with this text after some seconds. */
  until(what: string, isSo: () => boolean): Promise<void>;
  /** Waits until every kind is complete, and watched for so long that the watches count as good ones. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

export interface Following {
  readonly server: ApiServer;
  readonly nodeName?: string;
  readonly timing?: QuickTiming;
  readonly connection?: ApiConnection;
}

/** Follows until the test ends. */
export function followCluster(
  t: Test,
  { server, nodeName = "n1", timing = quickTiming(), connection }: Following,
): FollowedCluster {
  const batches: Batch[] = [];
  const notices: WatchNotice[] = [];
  const reports: string[] = [];
  const connected = new Map<string, boolean>();
  const tracker = new Tracker(["Service", "EndpointSlice", "Node"]);
  const objects = new Map<string, KubernetesObject>();
  const stop = new AbortController();
  const way = connection ?? connectTo(server.url);
  const source = watchCluster({
    connection: way,
    nodeName,
    signal: stop.signal,
    report: (notice) => {
      notices.push(notice);
      if (notice.type === "failed") reports.push(notice.reason);
    },
    observer: { ...NO_OBSERVER, connected: (resource, isConnected) => connected.set(resource, isConnected) },
    timing,
  });
  const reading = (async () => {
    for await (const batch of source) {
      batches.push(batch);
      tracker.apply(batch.changes);
      for (const change of batch.changes) {
        if (change.type === "set") objects.set(printObject(change.object), change.object);
        else if (change.type === "delete") objects.delete(printIdentity(change.identity));
      }
    }
  })();
  const until = (what: string, isSo: () => boolean) => waitUntil(what, isSo);
  const end = async () => {
    stop.abort();
    await reading;
    await way.close();
  };
  t.teardown(end);
  return {
    batches,
    reports,
    notices,
    connected,
    changes: () => batches.flatMap(({ changes }) => changes.map(printChange)),
    problems: () => batches.flatMap(({ problems }) => problems.map(({ message }) => message)),
    snapshot: () => tracker.snapshot(),
    differences: () => differencesOf(objects, objectsOf(server, nodeName)),
    until,
    ready: async () => {
      await until("complete and watched", () => tracker.snapshot() !== undefined && server.watches() === 3);
      timing.advance(2000);
    },
    stop: end,
  };
}

/** The objects of the server that a node follows. */
function objectsOf({ store }: ApiServer, nodeName: string): ReadonlyMap<string, KubernetesObject> {
  const found = clusterResources(nodeName).flatMap((resource) => {
    const all = store.list(resource.kind).filter(({ kind, metadata }) => kind !== "Node" || metadata.name === nodeName);
    return all.flatMap((raw) => readObject(resource, raw).objects.map(({ object }) => object));
  });
  return new Map(found.map((object) => [printObject(object), object]));
}

function differencesOf(
  ours: ReadonlyMap<string, KubernetesObject>,
  theirs: ReadonlyMap<string, KubernetesObject>,
): readonly string[] {
  const keys = [...new Set([...ours.keys(), ...theirs.keys()])];
  return keys.filter((key) => !isDeepStrictEqual(ours.get(key), theirs.get(key)));
}

const PATIENCE = 20_000;

/** Looks again and again; throws after a while. */
export async function waitUntil(what: string, isSo: () => boolean): Promise<void> {
  const end = performance.now() + PATIENCE;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`not in time: ${what}`);
    await sleep(3);
  }
}
