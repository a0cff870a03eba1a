// Tests that after random changes and faults our objects are those of the API server, over HTTP/1.1 and HTTP/2.
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import t from "tap";
import { readDocument } from "../../src/api/document.ts";
import type { Snapshot } from "../../src/api/objects.ts";
import { Tracker } from "../../src/source/tracker.ts";
import { rawNode, rawService, rawSlice } from "../support/api-server/api-objects.ts";
import type { Fault, Trouble } from "../support/api-server/faults.ts";
import { followCluster, quickTiming } from "../support/api-server/followed-cluster.ts";
import { type ApiServer, startApiServer } from "../support/api-server/server.ts";
import { takeSeed } from "../support/seed.ts";
import { serverTls } from "../support/tls-server.ts";

const WALKS = 6;
const STEPS = 300;
const SEED = takeSeed();

type Chance = (below: number) => number;

/** Mulberry32: whole numbers from 0, the same for the same seed. */
function chanceFrom(seed: number): Chance {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const HIDDEN = { "service.kubernetes.io/service-proxy-name": "other" };

function change(server: ApiServer, chance: Chance): void {
  const name = `s${chance(8)}`;
  const metadata = { name: `${name}-${chance(3)}`, namespace: "ns" };
  const acts: readonly (() => unknown)[] = [
    () => server.set(rawService(name, { port: 1 + chance(3) })),
    () => server.set(rawService(name, { port: 80 })),
    () => server.set(rawService(name, { labels: chance(2) === 0 ? HIDDEN : {} })),
    () => server.delete({ kind: "Service", namespace: "ns", name }),
    () => server.set(rawSlice(metadata.name, name, [`10.1.0.${1 + chance(4)}`])),
    () => server.set(rawSlice(metadata.name, `s${chance(8)}`, [])),
    () => server.set(rawSlice(metadata.name, name, ["10.1.0.1", "x"])),
    () => server.delete({ kind: "EndpointSlice", ...metadata }),
    () => server.set(rawNode(`n${chance(3)}`, `z${chance(3)}`)),
    () => server.delete({ kind: "Node", name: "n1" }),
  ];
  acts[chance(acts.length)]?.();
}

function trouble(server: ApiServer, chance: Chance): void {
  const troubles: readonly Trouble[] = [
    { type: "status", code: [403, 404, 410, 429, 500, 503][chance(6)] ?? 500 },
    { type: "status", code: 429, retryAfter: "1" },
    { type: "cut", after: chance(2000) },
    { type: "stall", after: chance(2000) },
    { type: "trickle", bytes: 1 + chance(100), every: 1 },
    { type: "body", text: ["<html>\n", "{}\n", "", '{"type":"ADDED"}\n'][chance(4)] ?? "" },
    { type: "error event", code: [410, 500, 504][chance(3)] ?? 500 },
    { type: "duplicate" },
    { type: "end", told: chance(2) === 0 ? "all" : "nothing" },
  ];
  const verb = (["list", "watch"] as const)[chance(2)];
  const fault: Fault = { trouble: troubles[chance(troubles.length)] ?? { type: "duplicate" } };
  server.fault(verb && chance(2) === 0 ? { ...fault, verb } : fault);
}

function disturb(server: ApiServer, chance: Chance): void {
  const acts = [
    server.compact,
    server.bookmark,
    server.endWatches,
    server.dropWatches,
    server.goAway,
    () => trouble(server, chance),
  ];
  acts[chance(acts.length)]?.();
}

/** What a reader of the whole store would know. */
function truth(server: ApiServer): Snapshot {
  const nodes = server.store.list("Node").filter(({ metadata }) => metadata.name === "n1");
  const raw = [...server.store.list("Service"), ...server.store.list("EndpointSlice"), ...nodes];
  return Tracker.snapshotOf(raw.flatMap((object) => readDocument(object, {}).objects));
}

for (let walk = 0; walk < WALKS; walk++) {
  t.test(`walk ${walk}`, async (t) => {
    const chance = chanceFrom(SEED + walk);
    const server = await startApiServer({
      streamsLists: walk % 2 === 0,
      goneAs: walk % 3 === 0 ? "status" : "event",
      ...(walk >= 3 && { tls: { ...serverTls("server"), requestCert: false } }),
    });
    t.teardown(() => server.close());
    const cluster = followCluster(t, { server, timing: quickTiming(400) });
    for (let step = 0; step < STEPS; step++) {
      change(server, chance);
      if (chance(4) === 0) disturb(server, chance);
      if (chance(3) === 0) await sleep(chance(15));
    }
    server.clearFaults();
    server.bookmark();
    const isKnown = () => isDeepStrictEqual(sorted(cluster.snapshot()), sorted(truth(server)));
    await cluster.until("the same", isKnown).catch(() => {
      t.strictSame(sorted(cluster.snapshot()), sorted(truth(server)));
    });
    t.ok(isKnown(), `${server.requests.length} requests, ${cluster.reports.length} reports`);
  });
}

/** Objects by name, whatever the order of their coming. */
function sorted(snapshot: Snapshot | undefined): unknown {
  if (!snapshot) return undefined;
  const sort = (map: ReadonlyMap<string, unknown>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  return [[...snapshot.services], sort(snapshot.nodes)];
}
