import t from "tap";
import { clusterResources } from "../../src/source/resources.ts";
import { readEvents } from "../../src/source/watch.ts";
import { rawService } from "../support/api-server/api-objects.ts";
import { quickTiming } from "../support/api-server/followed-cluster.ts";
import { type ApiServer, startApiServer } from "../support/api-server/server.ts";
import { connectTo } from "../support/api-server/test-connection.ts";

const [services] = clusterResources("n1");
if (!services) throw new Error("there are no services");
const resource = services;

/** The first events of a watch, printed, and why it ended before so many. */
async function watch(
  server: ApiServer,
  count: number,
  initial: "none" | "streamed" = "none",
): Promise<readonly string[]> {
  const enough = new AbortController();
  const question = { resource, version: "100", initial, signal: enough.signal };
  const seen: string[] = [];
  try {
    await readEvents({ connection: connectTo(server.url), timing: quickTiming() }, question, (event) => {
      if (enough.signal.aborted) return;
      const ends = event.type === "bookmark" && event.endsInitial ? " end" : "";
      if (seen.push(`${event.type} ${event.resourceVersion}${ends}`) >= count) enough.abort();
    });
    return seen;
  } catch (error) {
    if (enough.signal.aborted) return seen;
    return [...seen, error instanceof Error ? error.message : ""];
  }
}

async function start(): Promise<ApiServer> {
  const server = await startApiServer();
  server.set(rawService("a"));
  server.set(rawService("b"));
  server.delete({ kind: "Service", namespace: "ns", name: "a" });
  t.teardown(() => server.close());
  return server;
}

t.test("what happened since a version", async (t) => {
  const server = await start();
  t.strictSame(await watch(server, 3), ["set 101", "set 102", "delete 103"]);
  const { searchParams } = new URL(server.requests[0]?.url ?? "", "http://x");
  const { labelSelector: _, fieldSelector: __, ...query } = Object.fromEntries(searchParams);
  t.strictSame(query, { watch: "true", allowWatchBookmarks: "true", resourceVersion: "100", timeoutSeconds: "450" });
});

t.test("what exists, and that this was all", async (t) => {
  const server = await start();
  t.strictSame(await watch(server, 2, "streamed"), ["set 102", "bookmark 103 end"]);
  t.match(server.requests[0]?.url, /&sendInitialEvents=true&resourceVersionMatch=NotOlderThan$/);
});

const TROUBLES = {
  "a time that is over": [{ type: "end", told: "all" }, ["set 101", "set 102", "delete 103"]],
  "a version that is gone": [{ type: "error event", code: 410, reason: "Expired" }, ["410 Expired: the test says 410"]],
  "a refusal": [{ type: "status", code: 403 }, ["403 the test says 403"]],
  "a line that is no JSON": [{ type: "body", text: "<html>\n" }, ["the answer is text that is no JSON"]],
  "a line that is no event": [{ type: "body", text: "{}\n" }, ["the answer is a watch with a line that is no event"]],
} as const;

for (const [name, [trouble, seen]] of Object.entries(TROUBLES)) {
  t.test(name, async (t) => {
    const server = await start();
    server.fault({ trouble });
    t.strictSame(await watch(server, 9), seen);
  });
}

t.test("a line that is cut is none", async (t) => {
  const server = await start();
  const first = JSON.stringify({ type: "ADDED", object: server.store.since(100)[0]?.after }).length;
  server.fault({ trouble: { type: "cut", after: first + 20 } });
  t.match(await watch(server, 9), ["set 101", /aborted|closed|reset/]);
});
