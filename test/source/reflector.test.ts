import t, { type Test } from "tap";
import { rawNode, rawService, rawSlice } from "../support/api-server/api-objects.ts";
import type { Fault } from "../support/api-server/faults.ts";
import { type FollowedCluster, followCluster } from "../support/api-server/followed-cluster.ts";
import { type ApiServer, type ApiServerOptions, startApiServer } from "../support/api-server/server.ts";

interface Scene {
  readonly server: ApiServer;
  readonly cluster: FollowedCluster;
}

interface Setting extends ApiServerOptions {
  readonly faults?: readonly Fault[];
}

async function begin(t: Test, { faults = [], ...options }: Setting = {}): Promise<Scene> {
  const server = await startApiServer(options);
  t.teardown(() => server.close());
  server.set(rawService("web"));
  server.set(rawSlice("web-1", "web", ["10.1.0.1"]));
  server.set(rawNode("n1", "z"));
  for (const fault of faults) server.fault({ resource: "services", ...fault });
  return { server, cluster: followCluster(t, { server }) };
}

/** What was asked of the Services: `list 0`, `stream`, `watch 103`. */
function asked(server: ApiServer): readonly string[] {
  const requests = server.requests.filter(({ resource }) => resource === "services");
  return requests.map(({ url }) => {
    const query = new URL(url, "http://x").searchParams;
    const verb = query.has("sendInitialEvents") ? "stream" : query.has("watch") ? "watch" : "list";
    return `${verb} ${query.get("resourceVersion") ?? ""}`.trim();
  });
}

const PLAIN = { streamsLists: false };

/** Trouble at the start: how it is set, what is asked of the Services then, and what the operator hears. */
const STARTS: Readonly<Record<string, readonly [Setting, readonly string[], readonly (string | RegExp)[]]>> = {
  "a server that streams": [{}, ["stream"], []],
  "a server that does not": [PLAIN, ["stream", "list 0", "watch 103"], []],
  "no rights": [
    { ...PLAIN, faults: [{ verb: "list", trouble: { type: "status", code: 403, reason: "Forbidden" } }] },
    ["stream", "list 0", "list 0", "watch 103"],
    ["cannot list services: 403 Forbidden: the test says 403"],
  ],
  "no rights to a stream of the list": [
    { faults: [{ trouble: { type: "status", code: 403 } }] },
    ["stream", "list 0", "watch 103"],
    ["cannot list services: 403 the test says 403"],
  ],
  "no such resource yet": [
    { ...PLAIN, faults: [{ verb: "list", trouble: { type: "status", code: 404 }, times: 2 }] },
    ["stream", "list 0", "list 0", "list 0", "watch 103"],
    [/404.*/, /404.*/],
  ],
  "a server that is busy stays one that streams": [
    { faults: [{ trouble: { type: "status", code: 429, retryAfter: "4" } }] },
    ["stream", "stream"],
    [/429.*/],
  ],
  "a stream that breaks off": [
    { faults: [{ trouble: { type: "cut", after: 400 } }] },
    ["stream", "list 0", "watch 103"],
    [/cannot list services: .*/],
  ],
  "a stream that ends too soon": [
    { faults: [{ trouble: { type: "end", told: "nothing" } }] },
    ["stream", "stream"],
    ["cannot list services: the watch ended before it had sent all objects"],
  ],
  "a stream that stalls": [
    { faults: [{ trouble: { type: "stall", after: 5 } }] },
    ["stream", "list 0", "watch 103"],
    ["services: the server sent no bookmark within 10 s after sendInitialEvents; listing instead"],
  ],
  "a server that accepts a streamed list and never sends the bookmark that ends it": [
    { faults: [{ trouble: { type: "no bookmark" } }] },
    ["stream", "list 0", "watch 103"],
    ["services: the server sent no bookmark within 10 s after sendInitialEvents; listing instead"],
  ],
  "a list that is cut": [
    { ...PLAIN, faults: [{ verb: "list", trouble: { type: "cut", after: 60 } }] },
    ["stream", "list 0", "list 0", "watch 103"],
    [/cannot list services: .*/],
  ],
  "a page of a proxy instead of a list": [
    { ...PLAIN, faults: [{ verb: "list", trouble: { type: "body", text: "<html>" } }] },
    ["stream", "list 0", "list 0", "watch 103"],
    ["cannot list services: the answer is a list with byte 60 where none such can be"],
  ],
  "a list that is refused as too old is asked for in its newest state": [
    { ...PLAIN, faults: [{ verb: "list", trouble: { type: "status", code: 410 } }] },
    ["stream", "list 0", "list", "watch 103"],
    [/410/],
  ],
};

for (const [name, [setting, requests, reports]] of Object.entries(STARTS)) {
  t.test(`at the start: ${name}`, async (t) => {
    const { server, cluster } = await begin(t, setting);
    await cluster.ready();
    t.strictSame(asked(server), requests);
    checkReports(t, cluster, reports);
  });
}

function checkReports(t: Test, { reports }: FollowedCluster, wanted: readonly (string | RegExp)[]): void {
  const told = reports.filter((report) => /\bservices: /.test(report));
  t.equal(told.length, wanted.length, told.join("\n"));
  wanted.forEach((report, index) => {
    t.match(told[index], report);
  });
}

/** Trouble with the watch from version 103 on; Service `new` comes as 104 while it lasts, or just before. */
interface Trouble {
  /** What is done to the server that has three good watches. */
  readonly act: (server: ApiServer) => void;
  readonly options?: ApiServerOptions;
  /** What is asked of the Services after the start. */
  readonly asked: readonly string[];
  readonly reports: readonly (string | RegExp)[];
}

const fresh = rawService("new");

/** Breaks the watches; the next watch of the Services has this trouble. */
function breakThen(trouble: Fault["trouble"], times = 1): (server: ApiServer) => void {
  return (server) => {
    server.fault({ resource: "services", verb: "watch", trouble, times });
    server.endWatches();
    server.set(fresh);
  };
}

const LIVES: Readonly<Record<string, Trouble>> = {
  "the time of a watch is over": {
    act: (server) => {
      server.endWatches();
      server.set(fresh);
    },
    asked: ["watch 103"],
    reports: [],
  },
  "a bookmark moves the watch on": {
    act: (server) => {
      server.set(rawNode("n7", "z"));
      server.bookmark();
      setTimeout(() => {
        server.endWatches();
        server.set(fresh);
      }, 50);
    },
    asked: ["watch 104"],
    reports: [],
  },
  "the server breaks the connection": {
    act: (server) => {
      server.bookmark();
      server.set(rawService("other"));
      setTimeout(() => {
        server.dropWatches();
        server.set(fresh);
      }, 50);
    },
    asked: ["watch 104"],
    reports: [/^cannot watch services: .*$/],
  },
  "the next watch is refused for a while": {
    act: breakThen({ type: "status", code: 500 }, 2),
    asked: ["watch 103", "watch 103", "watch 103"],
    reports: [/500.*/, /500.*/],
  },
  "the rights are taken and given back": {
    act: breakThen({ type: "status", code: 403 }),
    asked: ["watch 103", "watch 103"],
    reports: [/cannot watch services: 403/],
  },
  "the server asks for patience": {
    act: breakThen({ type: "status", code: 429, retryAfter: "3" }),
    asked: ["watch 103", "watch 103"],
    reports: [/429.*/],
  },
  "the resource is away": {
    act: breakThen({ type: "status", code: 404 }),
    asked: ["watch 103", "list 103", "watch 104"],
    reports: [/404/],
  },
  "the version is gone, says a status": {
    act: (server) => {
      server.endWatches();
      server.set(fresh);
      server.compact();
    },
    options: { goneAs: "status" },
    asked: ["watch 103", "list 103", "watch 104"],
    reports: [/cannot watch services: 410 Expired/],
  },
  "the version is gone, says an event": {
    act: (server) => {
      server.endWatches();
      server.set(fresh);
      server.compact();
    },
    asked: ["watch 103", "list 103", "watch 104"],
    reports: [/cannot watch services: 410 Expired/],
  },
  "a watch tells no JSON": {
    act: breakThen({ type: "body", text: "<html>\n" }),
    asked: ["watch 103", "list 103", "watch 104"],
    reports: [/text that is no JSON/],
  },
  "a watch tells of another error": {
    act: breakThen({ type: "error event", code: 500, reason: "InternalError" }),
    asked: ["watch 103", "watch 103"],
    reports: [/500 InternalError/],
  },
  "a watch is cut in its first line": {
    act: breakThen({ type: "cut", after: 30 }),
    asked: ["watch 103", "watch 103"],
    reports: [/cannot watch services: .*/],
  },
  "a watch ends at once, again and again": {
    act: breakThen({ type: "end", told: "nothing" }, 2),
    asked: ["watch 103", "watch 103", "watch 103"],
    reports: [/the watch ended at once/, /the watch ended at once/],
  },
  "a watch stalls in mid-line": {
    act: breakThen({ type: "stall", after: 30 }),
    asked: ["watch 103", "watch 103"],
    reports: ["cannot watch services: nothing came for 90 s"],
  },
  "two events come in the wrong order": {
    act: (server) => {
      server.fault({ resource: "services", verb: "watch", trouble: { type: "swap" } });
      server.endWatches();
      server.set(rawService("other"));
      server.set(fresh);
    },
    asked: ["watch 103"],
    reports: [],
  },
  "every event comes twice": { act: breakThen({ type: "duplicate" }), asked: ["watch 103"], reports: [] },
  "the events come slowly": {
    act: breakThen({ type: "trickle", bytes: 20, every: 2 }),
    asked: ["watch 103"],
    reports: [],
  },
};

for (const [name, { act, options = {}, asked: wanted, reports }] of Object.entries(LIVES)) {
  t.test(`in the course of time: ${name}`, async (t) => {
    const { server, cluster } = await begin(t, { ...PLAIN, ...options });
    await cluster.ready();
    const before = cluster.changes().length;
    const already = asked(server).length;
    act(server);
    await cluster.until("told", () => cluster.changes().includes("set Service ns/new"));
    t.strictSame(
      cluster
        .changes()
        .slice(before)
        .filter((change) => change.endsWith("web")),
      [],
      "nothing else changed",
    );
    await cluster.until("asked", () => asked(server).length - already >= wanted.length);
    t.strictSame(asked(server).slice(already, already + wanted.length), wanted);
    checkReports(t, cluster, reports);
  });
}

t.test("what went while nobody listened is gone, and nothing else is touched", async (t) => {
  const { server, cluster } = await begin(t);
  await cluster.ready();
  const before = cluster.changes().length;
  server.fault({ resource: "services", verb: "watch", trouble: { type: "status", code: 503 }, times: 2 });
  server.endWatches();
  server.delete({ kind: "Service", namespace: "ns", name: "web" });
  server.set(fresh);
  server.compact();
  await cluster.until("told", () => cluster.changes().includes("delete Service ns/web"));
  const changes = cluster.changes().slice(before);
  t.strictSame(
    changes.filter((change) => change.includes("Service")),
    ["set Service ns/new", "delete Service ns/web", "complete Service"],
  );
});

t.test("a streamed list is told from the newest state, and then from what is known", async (t) => {
  const { server, cluster } = await begin(t);
  await cluster.ready();
  server.endWatches();
  server.set(fresh);
  server.compact();
  await cluster.until("told", () => cluster.changes().includes("set Service ns/new"));
  t.strictSame(asked(server), ["stream", "watch 103", "stream 103"]);
});

t.test("a list after a streamed one that broke off is of the plain sort, the next streams again", async (t) => {
  const { server, cluster } = await begin(t, { faults: [{ trouble: { type: "cut", after: 400 } }] });
  await cluster.ready();
  server.endWatches();
  server.set(fresh);
  server.compact();
  await cluster.until("told", () => cluster.changes().includes("set Service ns/new"));
  t.strictSame(asked(server), ["stream", "list 0", "watch 103", "watch 103", "stream 103"]);
});

t.test("a server that never sent the bookmark is asked for plain lists from then on", async (t) => {
  const { server, cluster } = await begin(t, { faults: [{ trouble: { type: "no bookmark" } }] });
  await cluster.ready();
  t.strictSame(cluster.snapshot()?.nodes.size, 1, "all kinds are complete");
  server.endWatches();
  server.set(fresh);
  server.compact();
  await cluster.until("told", () => cluster.changes().includes("set Service ns/new"));
  t.strictSame(asked(server).slice(0, 5), ["stream", "list 0", "watch 103", "watch 103", "list 103"]);
});

t.test("a stream that is given up at the end of the source is not followed by a list", async (t) => {
  const { server, cluster } = await begin(t, { faults: [{ trouble: { type: "no bookmark" } }] });
  await cluster.until("streamed", () => cluster.changes().includes("set Service ns/web"));
  await cluster.stop();
  t.strictSame(asked(server), ["stream"]);
  t.strictSame(cluster.reports, []);
});

t.test("nothing more is asked once it is over", async (t) => {
  const { server, cluster } = await begin(t);
  await cluster.ready();
  server.fault({ trouble: { type: "status", code: 503 }, times: Number.POSITIVE_INFINITY });
  server.endWatches();
  await cluster.until("refused", () => cluster.reports.length >= 3);
  await cluster.stop();
  const count = server.requests.length;
  await new Promise((resolve) => setTimeout(resolve, 100));
  t.equal(server.requests.length, count);
});
