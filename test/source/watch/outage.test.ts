import t, { type Test } from "tap";
import { rawNode, rawService, rawSlice } from "../../support/api-server/api-objects.ts";
import type { Fault } from "../../support/api-server/faults.ts";
import { type FollowedCluster, followCluster } from "../../support/api-server/followed-cluster.ts";
import { type ApiServer, startApiServer } from "../../support/api-server/server.ts";

const ALL = Number.POSITIVE_INFINITY;

interface Scene {
  readonly server: ApiServer;
  readonly cluster: FollowedCluster;
}

async function begin(t: Test): Promise<Scene> {
  const server = await startApiServer();
  t.teardown(() => server.close());
  for (const name of ["web", "db", "old"]) {
    server.set(rawService(name));
    server.set(rawSlice(`${name}-1`, name, ["10.1.0.1"]));
  }
  server.set(rawNode("n1", "z"));
  const cluster = followCluster(t, { server });
  await cluster.ready();
  return { server, cluster };
}

/** What happens to the objects while the server cannot be used: one is new, one changed, one deleted, of each kind. */
function change(server: ApiServer): void {
  server.set(rawService("new"));
  server.set(rawSlice("new-1", "new", ["10.1.0.9"]));
  server.set(rawService("web", { port: 81 }));
  server.set(rawSlice("web-1", "web", ["10.1.0.2"]));
  server.set(rawNode("n1", "other"));
  server.delete({ kind: "Service", namespace: "ns", name: "old" });
  server.delete({ kind: "EndpointSlice", namespace: "ns", name: "old-1" });
}

interface Outage {
  /** Begins the outage, whose end needs no more than what is done here unless `end` is given. */
  readonly act: (scene: Scene) => void | Promise<void>;
  readonly end?: (server: ApiServer) => void | Promise<void>;
  /** Failures that are seen before it ends; with `end` alone. */
  readonly failures?: number;
  /** Most requests from the fault on until all objects are right and all watches stand. */
  readonly most: number;
}

/** Faults of all requests from now on, behind watches that end. */
function faults(trouble: Fault["trouble"], fault: Partial<Fault> = {}): Outage["act"] {
  return ({ server }) => {
    server.fault({ trouble, times: ALL, ...fault });
    server.dropWatches();
    change(server);
  };
}

const clear = (server: ApiServer) => server.clearFaults();

const OUTAGES: Readonly<Record<string, Outage>> = {
  "410 on resume": {
    act: ({ server }) => {
      server.endWatches();
      change(server);
      server.compact();
    },
    most: 3 * 3,
  },
  "410 on resume, again and again": {
    act: ({ server }) => {
      server.fault({ verb: "watch", url: "resourceVersion=1", trouble: { type: "error event", code: 410 }, times: 9 });
      server.endWatches();
      change(server);
      server.compact();
    },
    most: 3 * 3 + 9 * 2,
  },
  "403 for its first second": {
    act: faults({ type: "status", code: 403 }),
    end: clear,
    failures: 9,
    most: 3 * 8,
  },
  "the rights withdrawn for long and given back": {
    act: faults({ type: "status", code: 403 }),
    end: clear,
    failures: 40,
    most: 3 * 18,
  },
  "401 until the token is known again": {
    act: faults({ type: "status", code: 401 }),
    end: clear,
    failures: 9,
    most: 3 * 8,
  },
  "connection refused": {
    act: async ({ server }) => {
      await server.stop();
      change(server);
    },
    end: (server) => server.restart(),
    failures: 8,
    most: 3 + 3,
  },
  "connection refused, and the version gone when the server is back": {
    act: async ({ server }) => {
      await server.stop();
      change(server);
      server.compact();
    },
    end: (server) => server.restart(),
    failures: 8,
    most: 3 * 3,
  },
  "accepted and not answered": { act: faults({ type: "hang" }), end: clear, failures: 4, most: 3 * 6 },
  "429 with Retry-After 1": {
    act: faults({ type: "status", code: 429, retryAfter: "1" }),
    end: clear,
    failures: 6,
    most: 3 * 5,
  },
  "429 without Retry-After": { act: faults({ type: "status", code: 429 }), end: clear, failures: 8, most: 20 },
  "500": { act: faults({ type: "status", code: 500 }), end: clear, failures: 8, most: 20 },
  "503": { act: faults({ type: "status", code: 503 }), end: clear, failures: 8, most: 20 },
  "503 with Retry-After 2": {
    act: faults({ type: "status", code: 503, retryAfter: "2" }),
    end: clear,
    failures: 5,
    most: 20,
  },
  "HTML with status 200": {
    act: faults({ type: "body", text: "<html><body>sign in</body></html>\n" }),
    end: clear,
    failures: 9,
    most: 3 * 8,
  },
  "JSON of another kind with status 200, for lists": {
    act: ({ server }) => {
      server.fault({ verb: "watch", url: "sendInitialEvents", trouble: { type: "status", code: 400 }, times: 3 });
      server.fault({ verb: "list", trouble: { type: "body", text: OTHER_JSON }, times: ALL });
      server.endWatches();
      change(server);
      server.compact();
    },
    end: clear,
    failures: 9,
    most: 3 * 10,
  },
  "answers that are cut": { act: faults({ type: "cut", after: 150 }), end: clear, failures: 9, most: 3 * 8 },
  "lists that are cut": {
    act: ({ server }) => {
      server.fault({ verb: "watch", url: "sendInitialEvents", trouble: { type: "status", code: 400 }, times: 3 });
      server.fault({ verb: "list", trouble: { type: "cut", after: 700 }, times: ALL });
      server.endWatches();
      change(server);
      server.compact();
    },
    end: clear,
    failures: 9,
    most: 3 * 10,
  },
  "watches that end at once": {
    act: faults({ type: "end", told: "nothing" }, { verb: "watch" }),
    end: clear,
    failures: 9,
    most: 3 * 8,
  },
};

const OTHER_JSON = '{"kind":"Health","metadata":{"resourceVersion":"999"},"status":"ok"}';

for (const [name, { act, end, failures = 0, most }] of Object.entries(OUTAGES)) {
  t.test(`${name}: no object is lost, and the requests are few`, async (t) => {
    const scene = await begin(t);
    const { server, cluster } = scene;
    const before = server.requests.length;
    const changesBefore = cluster.changes().length;
    await act(scene);
    await cluster.until("failures", () => cluster.reports.length >= failures);
    await end?.(server);
    const areConnected = () => server.watches() === 3 && [...cluster.connected.values()].every(Boolean);
    await cluster.until("all objects are right", () => cluster.differences().length === 0 && areConnected());
    const requests = server.requests.length - before;
    t.ok(requests <= most, `${requests} requests, of ${most}`);
    const unchanged = cluster.changes().slice(changesBefore);
    t.notOk(unchanged.includes("delete Service ns/db"), "an object that exists is never deleted");
    t.notOk(unchanged.includes("delete Service ns/web"), "nor one that was changed");
    t.strictSame(unchanged.filter((each) => each.startsWith("delete")).length, 2, "two were deleted");
  });
}

t.test("the loss of the connection is reported once for each reason, its end once with what changed", async (t) => {
  const { server, cluster } = await begin(t);
  await cluster.until("the start is reported", () => cluster.notices.length === 0);
  await server.stop();
  change(server);
  await cluster.until("failures", () => cluster.reports.length >= 10);
  await server.restart();
  await cluster.until("recovered", () => cluster.notices.some(({ type }) => type === "recovered"));
  const failed = cluster.notices.flatMap((notice) => (notice.type === "failed" ? [notice] : []));
  t.ok(failed.every(({ scope, wasConnected }) => scope === "server" && wasConnected));
  const news = failed.filter(({ isNew }) => isNew).map(({ reason }) => reason);
  t.strictSame(news, [...new Set(failed.map(({ reason }) => reason))], "each reason once");
  t.match(cluster.notices.at(-1), {
    type: "recovered",
    scope: "server",
    wasConnected: true,
    changes: { services: 3, endpointslices: 3, nodes: 1 },
  });
});

t.test("missing rights for one resource do not slow the others down", async (t) => {
  const { server, cluster } = await begin(t);
  server.fault({ resource: "nodes", trouble: { type: "status", code: 403 }, times: ALL });
  server.dropWatches();
  change(server);
  const isRight = () => cluster.differences().join() === "Node n1";
  await cluster.until("Services and slices are right", isRight);
  await cluster.until("failures", () => cluster.reports.filter((line) => line.includes("nodes: 403")).length >= 4);
  const others = server.requests.filter(({ resource, verb }) => resource !== "nodes" && verb === "watch");
  t.equal(others.length, 4, "the first watches and one more of each");
  t.strictSame(cluster.connected.get("nodes"), false);
  const scopes = cluster.notices.flatMap((notice) =>
    notice.type === "failed" && notice.reason.includes("403") ? [notice.scope] : [],
  );
  t.ok(scopes.every((scope) => scope === "resource"));
  server.clearFaults();
  await cluster.until("the Node is right", () => cluster.differences().length === 0);
  const isOver = () =>
    cluster.notices.some(
      (notice) => notice.type === "recovered" && notice.scope === "resource" && "nodes" in notice.changes,
    );
  await cluster.until("its end is reported", isOver);
});

t.test("a server that cannot be reached at the start is followed once it can", async (t) => {
  const server = await startApiServer();
  t.teardown(() => server.close());
  server.set(rawService("web"));
  server.set(rawNode("n1", "z"));
  await server.stop();
  const cluster = followCluster(t, { server });
  await cluster.until("failures", () => cluster.reports.length >= 5);
  await server.restart();
  await cluster.until("all is there", () => cluster.snapshot() !== undefined && cluster.differences().length === 0);
  await cluster.until("recovered", () => cluster.notices.some(({ type }) => type === "recovered"));
  t.ok(cluster.notices.every((notice) => !notice.wasConnected));
});
