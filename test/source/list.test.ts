import t, { type Test } from "tap";
import { readList } from "../../src/source/list.ts";
import { RequestFailure } from "../../src/source/request-failure.ts";
import { clusterResources } from "../../src/source/resources.ts";
import { rawService } from "../support/api-server/api-objects.ts";
import { quickTiming } from "../support/api-server/followed-cluster.ts";
import { type ApiServer, startApiServer } from "../support/api-server/server.ts";
import { connectTo } from "../support/api-server/test-connection.ts";

const [services] = clusterResources("n1");
if (!services) throw new Error("there are no services");
const resource = services;
const { signal } = new AbortController();

async function start(t: Test, count: number): Promise<ApiServer> {
  const server = await startApiServer();
  t.teardown(() => server.close());
  for (let index = 0; index < count; index++) server.set(rawService(`s${index}`));
  return server;
}

/** Why a list failed. */
async function failure(server: ApiServer, version: string) {
  const error: unknown = await list(server, version).catch((error: unknown) => error);
  return error instanceof RequestFailure ? error.fault : error;
}

/** The version, how many items each begun list had, and what was asked for beside the selectors. */
async function list(server: ApiServer, version: string, between = () => {}) {
  const counts: number[] = [];
  const listing = {
    begin: () => counts.push(0),
    item: () => {
      counts.push((counts.pop() ?? 0) + 1);
      if (counts.at(-1) === 500) between();
    },
  };
  const before = server.requests.length;
  const connection = connectTo(server.url);
  const found = await readList({ connection, timing: quickTiming() }, { resource, version, signal }, listing);
  const asked = server.requests.slice(before).map(({ url }) => {
    const query = [...new URL(url, "http://x").searchParams].filter(([name]) => !name.endsWith("Selector"));
    return query.map(([name, value]) => `${name}=${value}`).join(" ");
  });
  return { found, counts, asked };
}

t.test("a small cluster", async (t) => {
  const { found, counts, asked } = await list(await start(t, 3), "0");
  t.strictSame([found, counts, asked], ["103", [3], ["limit=500 resourceVersion=0"]]);
});

t.test("a large one comes in pages, from whatever version each page is", async (t) => {
  const { found, counts, asked } = await list(await start(t, 1200), "");
  t.strictSame([found, counts], ["1300", [1200]]);
  t.strictSame(asked, ["limit=500", "limit=500 continue=token-1", "limit=500 continue=token-2"]);
});

t.test("a version of its own is asked for in one piece", async (t) => {
  const { counts, asked } = await list(await start(t, 600), "300");
  t.strictSame([counts, asked], [[600], ["resourceVersion=300"]]);
});

t.test("a list that is forgotten between two pages is begun anew, in one piece", async (t) => {
  const server = await start(t, 600);
  const { found, counts, asked } = await list(server, "0", () => server.compact());
  t.strictSame([found, counts], ["700", [500, 600]]);
  t.strictSame(asked, ["limit=500 resourceVersion=0", "limit=500 continue=token-1", "resourceVersion=0"]);
});

t.test("a version that is not there yet is refused", async (t) => {
  t.match(await failure(await start(t, 1), "900"), { type: "refused", status: 504, versionGone: true });
});

for (const [name, text] of Object.entries({
  "a page of HTML": "<html>",
  "a list that ends in the middle": '{"items":[',
  "a list without head": '{"items":[]}',
  "a list whose head is none": '{"items":[],"metadata":7}',
})) {
  t.test(`no list: ${name}`, async (t) => {
    const server = await start(t, 1);
    server.fault({ trouble: { type: "body", text } });
    t.strictSame(await failure(server, "0"), { type: "unreadable" });
  });
}

t.test("a fault of ours is not the server's", async (t) => {
  const server = await start(t, 1);
  const listing = {
    begin: () => {},
    item: () => {
      throw new TypeError("ours");
    },
  };
  const connection = connectTo(server.url);
  const asked = readList({ connection, timing: quickTiming() }, { resource, version: "0", signal }, listing);
  await t.rejects(asked, new TypeError("ours"));
});

for (const [name, text] of Object.entries({
  "another kind": '{"kind":"Health","metadata":{"resourceVersion":"9"},"items":[]}',
  "no kind": '{"metadata":{"resourceVersion":"9"},"items":[]}',
  "no items": '{"kind":"ServiceList","metadata":{"resourceVersion":"9"}}',
  "items that are no array": '{"kind":"ServiceList","metadata":{"resourceVersion":"9"},"items":{}}',
  "no version": '{"kind":"ServiceList","metadata":{},"items":[]}',
})) {
  t.test(`a list with ${name} is not a list of nothing`, async (t) => {
    const server = await start(t, 3);
    server.fault({ trouble: { type: "body", text } });
    t.strictSame(await failure(server, "0"), { type: "unreadable" });
  });
}

t.test("items that are null, as Go prints an empty list, are a list of nothing", async (t) => {
  const server = await start(t, 3);
  const text = '{"kind":"ServiceList","metadata":{"resourceVersion":"9"},"items":null}';
  server.fault({ trouble: { type: "body", text } });
  t.strictSame((await list(server, "0")).found, "9");
});
