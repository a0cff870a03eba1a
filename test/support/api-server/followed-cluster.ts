// How does a test follow its API server as the daemon would, only quicker?
import { setTimeout as sleep } from "node:timers/promises";
import type { Test } from "tap";
import { printIdentity, printObject } from "../../../src/api/object-name.ts";
import type { Snapshot } from "../../../src/api/objects.ts";
import type { ApiConnection } from "../../../src/source/connection.ts";
import type { Batch, Change } from "../../../src/source/source.ts";
import type { Timing } from "../../../src/source/timing.ts";
import { Tracker } from "../../../src/source/tracker.ts";
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

/** Milliseconds that a streamed list may take; and what becomes of them here, so that a busy machine is in time. */
const BOOKMARK_LIMIT = { asked: 10_000, taken: 1_000 };

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
      const taken = delay === BOOKMARK_LIMIT.asked ? BOOKMARK_LIMIT.taken : delay / factor;
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

export interface FollowedCluster {
  readonly batches: readonly Batch[];
  readonly reports: readonly string[];
  /** All changes so far, printed. */
  changes(): readonly string[];
  problems(): readonly string[];
  snapshot(): Snapshot | undefined;
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
  const reports: string[] = [];
  const tracker = new Tracker(["Service", "EndpointSlice", "Node"]);
  const stop = new AbortController();
  const way = connection ?? connectTo(server.url);
  const source = watchCluster({
    connection: way,
    nodeName,
    signal: stop.signal,
    report: (line) => reports.push(line),
    timing,
  });
  const reading = (async () => {
    for await (const batch of source) {
      batches.push(batch);
      tracker.apply(batch.changes);
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
    changes: () => batches.flatMap(({ changes }) => changes.map(printChange)),
    problems: () => batches.flatMap(({ problems }) => problems.map(({ message }) => message)),
    snapshot: () => tracker.snapshot(),
    until,
    ready: async () => {
      await until("complete and watched", () => tracker.snapshot() !== undefined && server.watches() === 3);
      timing.advance(2000);
    },
    stop: end,
  };
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
