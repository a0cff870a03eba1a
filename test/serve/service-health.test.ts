// Tests of the health-check node ports: what load balancers read while endpoints and Services come and go.
import "../support/enter-sandbox.ts";

import { execaSync } from "execa";
import t, { type Test } from "tap";
import type { Family } from "../../src/net/family.ts";
import { Connections } from "../../src/serve/http-server.ts";
import { ServiceHealthServers } from "../../src/serve/service-health.ts";
import type { Warning } from "../../src/serve/warning.ts";
import type { ServiceHealth } from "../../src/sync/observer.ts";
import { systemClock } from "../../src/sync/schedule.ts";
import { ask, freePort, ipv6Skip, occupy, statusOf } from "../support/http-client.ts";
import { keptLog } from "../support/kept-log.ts";
import { buildReport } from "../support/metrics.ts";
import { privilege, skipReason } from "../support/sandbox.ts";

if (privilege().kind !== "none") {
  execaSync("ip", ["link", "set", "lo", "up"]);
  for (const address of ["192.0.2.10/32", "192.0.2.11/32", "2001:db8:a::10/128"]) {
    execaSync("ip", ["address", "add", address, "dev", "lo"]);
  }
}

type Places = "all" | readonly string[];

const EVERYWHERE: ReadonlyMap<Family, Places> = new Map([
  ["IPv4", "all"],
  ["IPv6", "all"],
]);

function setUp(t: Test, nodePortAddresses = EVERYWHERE) {
  const { logs, lines } = keptLog();
  const warnings: Warning[] = [];
  const state = { healthy: true };
  const servers = new ServiceHealthServers({
    nodeName: "n1",
    nodePortAddresses,
    connections: new Connections({ maxOpenFiles: 1024, clock: systemClock }),
    healthy: () => state.healthy,
    log: logs("service-health.ts"),
    warn: (warning) => warnings.push(warning),
  });
  t.teardown(() => servers.close());
  const pass = async (family: Family, ...serviceHealth: readonly ServiceHealth[]) => {
    servers.observer.passed(family, buildReport({ serviceHealth }));
    await servers.settled();
  };
  return { servers, state, warnings, lines, pass };
}

function service(port: number, localEndpoints: number, name = "web"): ServiceHealth {
  return { namespace: "shop", name, port, localEndpoints };
}

function body(localEndpoints: number, serviceProxyHealthy: boolean): string {
  return `{
\t"service": {
\t\t"namespace": "shop",
\t\t"name": "web"
\t},
\t"localEndpoints": ${localEndpoints},
\t"serviceProxyHealthy": ${serviceProxyHealthy}
}`;
}

t.test("endpoints come and go, and the proxy falls ill", async (t) => {
  const { state, pass } = setUp(t);
  const port = await freePort();
  const answer = (status: number, count: number) => ({
    status,
    headers: {
      "content-type": "application/json",
      "x-content-type-options": "nosniff",
      "x-load-balancing-endpoint-weight": `${count}`,
    },
    body: body(count, state.healthy),
  });
  await pass("IPv4", service(port, 2));
  t.strictSame(await ask({ port }), answer(200, 2));
  t.strictSame(await ask({ port, method: "DELETE", path: "/any/path?at=all" }), answer(200, 2), "whatever is asked");
  await pass("IPv4", service(port, 0));
  t.strictSame(await ask({ port }), answer(503, 0));
  await pass("IPv4", service(port, 1));
  state.healthy = false;
  t.strictSame(await ask({ port }), answer(503, 1));
});

t.test("Services come, change their port, swap theirs, and go", async (t) => {
  const { pass, lines } = setUp(t);
  const [a, b, c] = [await freePort(), await freePort(), await freePort()];
  const heard = () => Promise.all([a, b, c].map((port) => nameAt(port)));
  await pass("IPv4", service(a, 1));
  t.strictSame(await heard(), ["web", "ECONNREFUSED", "ECONNREFUSED"]);
  await pass("IPv4", service(c, 1), service(b, 1, "api"));
  t.strictSame(await heard(), ["ECONNREFUSED", "api", "web"]);
  await pass("IPv4", service(b, 1), service(c, 1, "api"));
  t.strictSame(await heard(), ["ECONNREFUSED", "web", "api"]);
  lines.length = 0;
  await pass("IPv4", service(b, 1), service(c, 1, "api"));
  t.strictSame(lines, [], "nothing is opened again");
  await pass("IPv4");
  t.strictSame(await heard(), ["ECONNREFUSED", "ECONNREFUSED", "ECONNREFUSED"]);
  t.match(lines, [/^"Closing the health-check port of a Service" service="shop\/web" port=\d+$/, /shop\/api/]);
});

t.test("passes that follow one another faster than sockets open", async (t) => {
  const { servers, pass } = setUp(t);
  const [a, b] = [await freePort(), await freePort()];
  for (let count = 1; count <= 20; count++) {
    servers.observer.passed("IPv4", buildReport({ serviceHealth: [service(count % 2 ? a : b, count)] }));
  }
  await pass("IPv4", service(a, 21));
  t.equal(await statusOf({ port: b }), "ECONNREFUSED");
  t.match(await ask({ port: a }), { body: /"localEndpoints": 21/ });
});

t.test("a pass that failed changes nothing", async (t) => {
  const { servers, pass } = setUp(t);
  const port = await freePort();
  await pass("IPv4", service(port, 1));
  const failure = { step: "iptables", code: "4", words: "no" };
  servers.observer.passed("IPv4", buildReport({ failure }));
  await servers.settled();
  t.equal(await statusOf({ port }), 200);
});

t.test("a quarantined Service answers 503 with 0 local endpoints, and all others as ever", async (t) => {
  const { servers, pass } = setUp(t);
  const [web, api] = [await freePort(), await freePort()];
  const serviceHealth = [service(web, 2), service(api, 2, "api")];
  const setAside = [
    { servicePort: "shop/web:http/TCP", reason: "no" },
    {
      servicePort: "shop/api:http/TCP",
      reason: "no",
      item: "10.0.0.1:80/TCP to 10.1.0.1 8080",
      partial: true,
    } as const,
  ];
  servers.observer.passed("IPv4", buildReport({ serviceHealth, setAside }));
  await servers.settled();
  t.match(await ask({ port: web }), { status: 503, body: body(0, true) });
  t.match(await ask({ port: api }), { status: 200, body: /"localEndpoints": 2/ });
  await pass("IPv4", ...serviceHealth);
  t.match(await ask({ port: web }), { status: 200, body: body(2, true) });
});

t.test("each family has its own answer at the same port", { skip: await ipv6Skip() }, async (t) => {
  const { pass } = setUp(t);
  const port = await freePort();
  await pass("IPv4", service(port, 1));
  t.equal(await statusOf({ port, host: "::1" }), "ECONNREFUSED");
  await pass("IPv6", service(port, 0));
  t.equal(await statusOf({ port, host: "127.0.0.1" }), 200);
  t.equal(await statusOf({ port, host: "::1" }), 503);
  await pass("IPv4");
  t.equal(await statusOf({ port, host: "127.0.0.1" }), "ECONNREFUSED");
  t.equal(await statusOf({ port, host: "::1" }), 503);
});

t.test("only at the addresses of nodePorts", { skip: skipReason() }, async (t) => {
  const { pass } = setUp(
    t,
    new Map([
      ["IPv4", ["127.0.0.1", "192.0.2.10"]],
      ["IPv6", ["2001:db8:a::10"]],
    ]),
  );
  const port = await freePort();
  await pass("IPv4", service(port, 1));
  await pass("IPv6", service(port, 1));
  for (const host of ["127.0.0.1", "192.0.2.10", "2001:db8:a::10"]) t.equal(await statusOf({ port, host }), 200, host);
  for (const host of ["192.0.2.11", "::1"]) t.equal(await statusOf({ port, host }), "ECONNREFUSED", host);
});

t.test("no address of nodePorts: nothing listens, and nothing is wrong", async (t) => {
  const { pass, warnings } = setUp(t, new Map([["IPv4", []]]));
  const port = await freePort();
  await pass("IPv4", service(port, 1));
  t.equal(await statusOf({ port }), "ECONNREFUSED");
  t.strictSame(warnings, []);
});

t.test("a family without a loop is not listened for", async (t) => {
  const { pass } = setUp(t, new Map([["IPv4", "all"]]));
  const port = await freePort();
  await pass("IPv6", service(port, 1));
  t.equal(await statusOf({ port, host: "::1" }), "ECONNREFUSED");
});

t.test("one address is taken: none is kept, the cluster is told, and the next pass tries again", async (t) => {
  const { pass, warnings, lines } = setUp(t, new Map([["IPv4", ["127.0.0.2", "127.0.0.1"]]]));
  const { port, release } = await occupy("127.0.0.1");
  await pass("IPv4", service(port, 1));
  t.equal(await statusOf({ port, host: "127.0.0.2" }), "ECONNREFUSED");
  const refused = `Error: listen EADDRINUSE: address already in use 127.0.0.1:${port}`;
  const warning: Warning = {
    reason: "FailedToStartServiceHealthcheck",
    action: "Listen",
    service: { namespace: "shop", name: "web" },
    note: `node n1 cannot open health-check port ${port} of Service shop/web: ${refused}`,
  };
  t.strictSame(warnings, [warning]);
  t.strictSame(lines, [
    `"Cannot open the health-check port of a Service" service="shop/web" port=${port} err="${refused}"`,
  ]);
  await pass("IPv4", service(port, 1));
  t.strictSame(warnings, [warning, warning]);
  await release();
  await pass("IPv4", service(port, 1));
  for (const host of ["127.0.0.1", "127.0.0.2"]) t.equal(await statusOf({ port, host }), 200);
});

t.test("two Services want the same port: the second has to wait for the first to go", async (t) => {
  const { pass, warnings } = setUp(t);
  const port = await freePort();
  await pass("IPv4", service(port, 1), service(port, 1, "api"));
  t.equal(await nameAt(port), "web");
  t.match(warnings, [{ service: { name: "api" } }]);
  await pass("IPv4", service(port, 1, "api"));
  t.equal(await nameAt(port), "api");
});

t.test("closed: nothing listens, and nothing is opened any more", async (t) => {
  const { servers, pass } = setUp(t);
  const port = await freePort();
  servers.observer.passed("IPv4", buildReport({ serviceHealth: [service(port, 1)] }));
  await servers.close();
  t.equal(await statusOf({ port }), "ECONNREFUSED");
  await pass("IPv4", service(port, 1));
  t.equal(await statusOf({ port }), "ECONNREFUSED");
});

/** The Service that answers there, or why nobody does. */
async function nameAt(port: number): Promise<unknown> {
  return ask({ port }).then(
    ({ body }) => JSON.parse(body).service.name,
    ({ code }) => code,
  );
}
