import t, { type Test } from "tap";
import { listObjects } from "../../src/source/cluster-objects.ts";
import type { WrittenObject } from "../../src/source/manifest-text.ts";
import { podResource, WHOLE_CLUSTER } from "../../src/source/resources.ts";
import { rawNode, rawService } from "../support/api-server/api-objects.ts";
import { type QuickTiming, quickTiming } from "../support/api-server/followed-cluster.ts";
import { type ApiServer, startApiServer } from "../support/api-server/server.ts";
import { connectTo } from "../support/api-server/test-connection.ts";

const [services, , nodes] = WHOLE_CLUSTER;
if (!services || !nodes) throw new Error("a resource is missing");
const SERVICES = services;
const NODES = nodes;

async function start(t: Test): Promise<ApiServer> {
  const server = await startApiServer();
  t.teardown(() => server.close());
  return server;
}

interface Asked {
  readonly resource?: typeof SERVICES;
  readonly timing?: QuickTiming;
  readonly told?: number[];
}

/** The place and name, or the problem, of each. */
async function list(server: ApiServer, { resource = SERVICES, timing = quickTiming(), told = [] }: Asked = {}) {
  const connection = connectTo(server.url);
  const keep = ({ place, reading }: WrittenObject) => {
    return [place.source, ...reading.objects.map(({ name }) => name), ...reading.problems.map(({ reason }) => reason)];
  };
  try {
    return await listObjects({ connection, timing }, resource, { keep, tell: (count) => told.push(count) });
  } finally {
    await connection.close();
  }
}

t.test("each object stands at a path of its own", async (t) => {
  const server = await start(t);
  server.set(rawService("a"));
  server.set(rawService("b", { port: 0 }));
  server.set(rawNode("worker-a", "z"));
  const told: number[] = [];
  t.strictSame(await list(server, { told }), [
    ["/api/v1/namespaces/ns/services/a", "a"],
    ["/api/v1/namespaces/ns/services/b", "must be a whole number from 1 to 65535, not 0"],
  ]);
  t.strictSame(told, [1, 2]);
  t.strictSame(await list(server, { resource: NODES }), [["/api/v1/nodes/worker-a", "worker-a"]]);
});

t.test("one Pod among all", async (t) => {
  const server = await start(t);
  for (const [namespace, name] of [
    ["shop", "web-0"],
    ["shop", "web-1"],
    ["other", "web-0"],
  ] as const) {
    server.set({ apiVersion: "v1", kind: "Pod", metadata: { namespace, name } });
  }
  const resource = podResource({ namespace: "shop", name: "web-0" });
  t.strictSame(await list(server, { resource }), [["/api/v1/namespaces/shop/pods/web-0", "web-0"]]);
});

t.test("a cluster of several pages is whole, one that forgets its list between two pages too", async (t) => {
  const server = await start(t);
  for (let index = 0; index < 700; index++) server.set(rawService(`s${index}`));
  t.equal((await list(server)).length, 700);
  server.fault({ trouble: { type: "status", code: 410, reason: "Expired" }, url: "continue=" });
  t.equal((await list(server)).length, 700, "none of them twice");
});

t.test("an item that is no object, or has no name, stands at the path of its list", async (t) => {
  const server = await start(t);
  server.fault({
    trouble: {
      type: "body",
      text: '{"kind":"ServiceList","metadata":{"resourceVersion":"1"},"items":[5,{"metadata":{"namespace":"a"}}]}',
    },
  });
  const [number, nameless] = await list(server);
  t.strictSame(number, ["/api/v1/services", "must be an object, not 5"]);
  t.equal(nameless?.[0], "/api/v1/services");
});

t.test("a server that asks for patience gets it, ten times", async (t) => {
  const server = await start(t);
  server.set(rawService("a"));
  const trouble = { type: "status", code: 429, reason: "TooManyRequests", retryAfter: "2" } as const;
  server.fault({ trouble, times: 10 });
  const timing = quickTiming();
  t.equal((await list(server, { timing })).length, 1);
  t.equal(timing.delays.filter((delay) => delay === 2000).length, 10);
  server.fault({ trouble, times: 11 });
  await t.rejects(list(server), { message: /^\/api\/v1\/services: cannot be listed: 429 TooManyRequests: / });
});

const REFUSALS = [
  ["a refusal", { type: "status", code: 403, reason: "Forbidden" }, /: cannot be listed: 403 Forbidden: the test says/],
  [
    "a server in trouble that names no time",
    { type: "status", code: 500 },
    /: cannot be listed: 500 the test says 500/,
  ],
  ["a list that breaks off", { type: "cut", after: 20 }, /: cannot be listed: http:\/\/127\.0\.0\.1:\d+: /],
  ["what is no list", { type: "body", text: "<html>" }, /: cannot be listed: the answer is /],
] as const;

for (const [name, trouble, message] of REFUSALS) {
  t.test(`${name} is told at once`, async (t) => {
    const server = await start(t);
    server.set(rawService("a"));
    server.fault({ trouble });
    await t.rejects(list(server), { name: "InputError", place: { source: "/api/v1/services" }, message });
  });
}

t.test("a fault of ours is not the server's", async (t) => {
  const server = await start(t);
  server.set(rawService("a"));
  const connection = connectTo(server.url);
  t.teardown(() => connection.close());
  const keep = () => {
    throw new RangeError("ours");
  };
  await t.rejects(listObjects({ connection, timing: quickTiming() }, SERVICES, { keep, tell: () => {} }), RangeError);
});
