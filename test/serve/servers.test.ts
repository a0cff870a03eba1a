// Tests of the start and stop of all HTTP servers of the daemon.
import t, { type Test } from "tap";
import { InputError } from "../../src/errors.ts";
import { type ServersInput, startServers } from "../../src/serve/servers.ts";
import type { Warning } from "../../src/serve/warning.ts";
import { HandClock } from "../support/clock.ts";
import { ask, freePort, ipv6Skip, occupy, statusOf } from "../support/http-client.ts";
import { keptLog } from "../support/kept-log.ts";
import { buildMetrics, buildReport, NOW, textOf } from "../support/metrics.ts";

type Given = Partial<ServersInput["options"]>;

function setUp(given: Given) {
  const { logs, lines } = keptLog();
  const { metrics } = buildMetrics();
  const clock = new HandClock();
  const warnings: Warning[] = [];
  const input: ServersInput = {
    options: {
      healthzBindAddress: "",
      metricsBindAddress: "",
      bindAddressHardFail: false,
      enableProfiling: false,
      syncPeriod: 30_000,
      served: { flagz: true, statusz: true, nativeHistograms: false },
      ...given,
    },
    mode: "iptables",
    nodeName: "n1",
    configuration: {},
    flags: [],
    version: "0.1.0",
    metrics,
    clock,
    now: () => NOW + clock.now(),
    log: logs,
    warn: (warning) => warnings.push(warning),
    maxOpenFiles: 1024,
    setVerbosity: () => {},
  };
  return { input, metrics, clock, warnings, lines };
}

async function start(t: Test, given: Given) {
  const set = setUp(given);
  const servers = await startServers(set.input);
  t.teardown(() => servers.close());
  return { ...set, servers, observer: servers.begin(new Map([["IPv4", ["127.0.0.1"]]])) };
}

t.test("the health server, and the count of its answers", async (t) => {
  const port = await freePort();
  const { servers, observer, clock, metrics } = await start(t, { healthzBindAddress: `127.0.0.1:${port}` });
  servers.sawNode({ deleting: false, toBeDeleted: false });
  observer.began("IPv4");
  const { status, headers, body } = await ask({ port, path: "/healthz" });
  t.equal(status, 200);
  t.strictSame(headers, { "content-type": "application/json", "x-content-type-options": "nosniff" });
  t.match(JSON.parse(body), { nodeEligible: true, healthy: true, status: { IPv4: { healthy: true } } });
  observer.queued("IPv4");
  await clock.advance(60_000);
  t.equal(await statusOf({ port, path: "/healthz" }), 503);
  t.equal(await statusOf({ port, path: "/livez" }), 503);
  t.match(await ask({ port, path: "/healthz/" }), { status: 404, body: "404 page not found\n" });
  t.match(await ask({ port, path: "/metrics" }), { status: 404 });
  const text = await textOf(metrics);
  for (const count of ['healthz_total{code="200"} 1', 'healthz_total{code="503"} 1', 'livez_total{code="503"} 1']) {
    t.match(text, `kubeproxy_proxy_${count}\n`);
  }
});

t.test("the metrics server, and the rules as loops tell of them", async (t) => {
  const port = await freePort();
  const { observer } = await start(t, { metricsBindAddress: `127.0.0.1:${port}` });
  t.match(await ask({ port, path: "/proxyMode" }), { status: 200, body: "iptables" });
  observer.passed("IPv4", buildReport());
  t.match(JSON.parse((await ask({ port, path: "/rules" })).body), { families: { IPv4: { upToDate: true } } });
  t.match(await ask({ port, path: "/livez" }), { status: 404 });
});

t.test("Services' health ports follow the proxy's health while it can be asked for", async (t) => {
  for (const switchedOff of [false, true]) {
    const healthzBindAddress = switchedOff ? "" : `127.0.0.1:${await freePort()}`;
    const { servers, observer, clock } = await start(t, { healthzBindAddress });
    const port = await freePort();
    const serviceHealth = [{ namespace: "shop", name: "web", port, localEndpoints: 1 }];
    observer.began("IPv4");
    observer.passed("IPv4", buildReport({ serviceHealth }));
    observer.queued("IPv4");
    await clock.advance(60_000);
    t.equal(await statusOf({ port }), switchedOff ? 200 : 503, switchedOff ? "switched off" : "there");
    await servers.close();
    t.equal(await statusOf({ port }), "ECONNREFUSED");
  }
});

t.test("the wildcard of either family stands for both", { skip: await ipv6Skip() }, async (t) => {
  for (const wildcard of ["0.0.0.0", "[::]", "[0:0::0]"]) {
    const port = await freePort();
    const { servers } = await start(t, { healthzBindAddress: `${wildcard}:${port}` });
    for (const host of ["127.0.0.1", "::1"]) t.equal(await statusOf({ port, host, path: "/livez" }), 200, wildcard);
    await servers.close();
  }
});

t.test("an address with leading zeros, and one in brackets", { skip: await ipv6Skip() }, async (t) => {
  const port = await freePort();
  await start(t, { healthzBindAddress: `127.000.0.01:${port}`, metricsBindAddress: `[0::1]:${port}` });
  t.equal(await statusOf({ port, path: "/livez" }), 200);
  t.equal(await statusOf({ port, host: "::1", path: "/proxyMode" }), 200);
});

t.test("a port that is taken is tried every five seconds", async (t) => {
  const { port, release } = await occupy();
  const { clock, lines, warnings } = await start(t, { healthzBindAddress: `127.0.0.1:${port}` });
  const refused = `listen EADDRINUSE: address already in use 127.0.0.1:${port}`;
  const complaint = `"Cannot start health server" address="127.0.0.1:${port}" err="Error: ${refused}"`;
  t.strictSame(lines, [complaint]);
  t.equal(clock.next(), 5_000);
  await clock.advance(5_000);
  t.strictSame(lines, [complaint, complaint]);
  await release();
  await clock.advance(5_000);
  t.equal(lines.at(-1), `"Started health server" address="127.0.0.1:${port}"`);
  t.equal(await statusOf({ port, path: "/livez" }), 200);
  t.strictSame(warnings, [], "only with a hard failure is the cluster told");
});

const HARD = [
  { taken: "healthzBindAddress", reason: "FailedToStartProxierHealthcheck", name: "health server" },
  { taken: "metricsBindAddress", reason: "FailedToStartMetricServer", name: "metrics server" },
] as const;

for (const { taken, reason, name } of HARD) {
  t.test(`hard failure: a taken port of the ${name} is told once, and nothing is left listening`, async (t) => {
    const { port, release } = await occupy();
    t.teardown(release);
    const free = await freePort();
    const address = `127.0.0.1:${port}`;
    const { input, warnings, clock } = setUp({
      healthzBindAddress: `127.0.0.1:${free}`,
      metricsBindAddress: `127.0.0.1:${free}`,
      bindAddressHardFail: true,
      [taken]: address,
    });
    await t.rejects(startServers(input), { code: "EADDRINUSE" });
    const note = `cannot start ${name} at ${address}: Error: listen EADDRINUSE: address already in use ${address}`;
    t.strictSame(warnings, [{ reason, action: "StartKubeProxy", note }]);
    t.equal(clock.next(), undefined);
    t.equal(await statusOf({ port: free }), "ECONNREFUSED");
  });
}

for (const address of ["10256", "localhost:10256", "[::1:10256"]) {
  t.test(`${address} is nowhere to listen`, async (t) => {
    await t.rejects(startServers(setUp({ healthzBindAddress: address }).input), InputError);
  });
}
