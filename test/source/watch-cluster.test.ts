import t, { type Test } from "tap";
import { watchCluster } from "../../src/source/watch-cluster.ts";
import { rawNode, rawService, rawSlice } from "../support/api-server/api-objects.ts";
import { followCluster, NO_OBSERVER } from "../support/api-server/followed-cluster.ts";
import { type ApiServer, type ApiServerOptions, startApiServer } from "../support/api-server/server.ts";
import { connectTo } from "../support/api-server/test-connection.ts";

/** A server with Service web, its slice, and the Nodes n1 and n2. */
async function start(t: Test, options: ApiServerOptions = {}): Promise<ApiServer> {
  const server = await startApiServer(options);
  t.teardown(() => server.close());
  server.set(rawService("web"));
  server.set(rawSlice("web-1", "web", ["10.1.0.1"]));
  for (const node of ["n1", "n2"]) server.set(rawNode(node, "z"));
  return server;
}

for (const streamsLists of [true, false]) {
  t.test(`a cluster becomes known whole, kind by kind, streams of lists: ${streamsLists}`, async (t) => {
    const server = await start(t, { streamsLists });
    const cluster = followCluster(t, { server });
    await cluster.ready();
    const order = ["set Service ns/web", "complete Service", "set EndpointSlice ns/web-1", "complete EndpointSlice"];
    t.strictSame([...cluster.changes()].sort(), [...order, "set Node n1", "complete Node"].sort());
    t.ok(cluster.changes().indexOf("set Service ns/web") < cluster.changes().indexOf("complete Service"));
    t.strictSame(cluster.reports, []);
    const lists = server.requests.filter(({ verb }) => verb === "list").length;
    t.equal(lists, streamsLists ? 0 : 3, "lists of the plain sort");
  });
}

t.test("a label that hides an object deletes it, and taken away brings it back", async (t) => {
  const server = await start(t);
  const cluster = followCluster(t, { server });
  await cluster.ready();
  server.set(rawService("web", { labels: { "service.kubernetes.io/service-proxy-name": "" } }));
  await cluster.until("hidden", () => cluster.changes().at(-1) === "delete Service ns/web");
  server.set(rawService("web"));
  await cluster.until("back", () => cluster.changes().at(-1) === "set Service ns/web");
  server.set(rawNode("n2", "other"));
  server.delete({ kind: "EndpointSlice", namespace: "ns", name: "web-1" });
  await cluster.until("gone", () => cluster.changes().at(-1) === "delete EndpointSlice ns/web-1");
  t.notOk(cluster.changes().includes("set Node n2"), "another Node");
});

t.test("a burst of changes is few batches", async (t) => {
  const server = await start(t);
  const cluster = followCluster(t, { server });
  await cluster.ready();
  const before = cluster.batches.length;
  for (let index = 0; index < 1000; index++) server.set(rawService(`s${index}`));
  await cluster.until("all there", () => cluster.snapshot()?.services.length === 1001);
  t.ok(cluster.batches.length - before <= 50, `${cluster.batches.length - before} batches`);
});

t.test("the trigger time of a slice comes with its change", async (t) => {
  const server = await start(t);
  const cluster = followCluster(t, { server });
  await cluster.ready();
  const annotations = { "endpoints.kubernetes.io/last-change-trigger-time": "2026-01-02T03:04:05Z" };
  server.set(rawSlice("web-1", "web", ["10.1.0.2"], { annotations }));
  const times = () =>
    cluster.batches.flatMap(({ changes }) => changes.flatMap((each) => (each.type === "set" ? [each.triggered] : [])));
  await cluster.until("told", () => times().includes(Date.UTC(2026, 0, 2, 3, 4, 5)));
});

t.test("a bad object is told of and left out; the rest is complete", async (t) => {
  const server = await start(t);
  server.set(rawService("bad", { port: "x" }));
  const cluster = followCluster(t, { server });
  await cluster.ready();
  t.strictSame(cluster.problems(), ['/api/v1/services: Service ns/bad: spec.ports[0].port: must be a number, not "x"']);
  t.strictSame(
    [...(cluster.snapshot()?.services ?? [])].map(({ service }) => service.name),
    ["web"],
  );
});

t.test("a reader who is slow hears the latest state only", async (t) => {
  const server = await start(t);
  const stop = new AbortController();
  const connection = connectTo(server.url);
  const source = watchCluster({
    connection,
    nodeName: "n1",
    signal: stop.signal,
    report: () => {},
    observer: NO_OBSERVER,
  });
  await source.next();
  for (let port = 1; port <= 500; port++) server.set(rawService("web", { port }));
  server.set(rawService("last"));
  const ports: number[] = [];
  for await (const { changes } of source) {
    for (const change of changes) {
      if (change.type !== "set" || change.object.kind !== "Service") continue;
      ports.push(change.object.ports[0]?.port ?? 0);
      if (change.object.name === "last") stop.abort();
    }
    // The events come in while he is at it.
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  t.ok(ports.length < 20, `${ports.length} changes`);
  t.ok(ports.includes(500));
});

t.test("a source that is over before it begins", async (t) => {
  const server = await start(t);
  const connection = connectTo(server.url);
  const source = watchCluster({
    connection,
    nodeName: "n1",
    signal: AbortSignal.abort(),
    report: () => {},
    observer: NO_OBSERVER,
  });
  t.strictSame(await source.next(), { value: undefined, done: true });
  t.strictSame(server.requests, []);
});

t.test("a reader who leaves ends every request", async (t) => {
  const server = await start(t);
  const cluster = followCluster(t, { server });
  await cluster.ready();
  await cluster.stop();
  await cluster.until("no watch is open", () => server.watches() === 0);
});

t.test("a fault of ours reaches the reader", async (t) => {
  const connection = {
    server: "",
    send: async () => ({ status: 200, headers: new Map<string, string>(), body: body() }),
    onConnected: () => () => {},
    close: async () => {},
  };
  const report = () => {
    throw new TypeError("ours");
  };
  const source = watchCluster({
    connection,
    nodeName: "n1",
    signal: new AbortController().signal,
    report,
    observer: NO_OBSERVER,
  });
  await t.rejects(source.next(), new TypeError("ours"));
});

async function* body(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("<html>\n");
}
