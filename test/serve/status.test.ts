// Is there every page that tools ask the metrics server for, and no other?
import t from "tap";
import { configOfFlags } from "../../src/options/flags.ts";
import { configDocument } from "../../src/options/print.ts";
import { NOT_FOUND, plainText } from "../../src/serve/answer.ts";
import { Profiler } from "../../src/serve/profiler.ts";
import { type StatusInput, statusPages } from "../../src/serve/status.ts";
import { FIXTURES, matchGolden } from "../support/golden.ts";
import { buildMetrics } from "../support/metrics.ts";
import { question } from "../support/question.ts";

function setUp(options: Partial<StatusInput["options"]> = {}) {
  const { metrics } = buildMetrics();
  const pages = statusPages({
    options: { enableProfiling: false, served: { flagz: true, statusz: true, nativeHistograms: false }, ...options },
    mode: "iptables",
    configuration: configDocument(configOfFlags(new Map())),
    flags: [["v", "0"]],
    version: "0.1.0",
    started: 0,
    now: () => 1_000,
    metrics,
    rules: () => plainText("the rules"),
    profiler: new Profiler(),
    setVerbosity: () => {},
  });
  const get = (path: string, given = {}) => pages(question({ path, ...given }));
  return { metrics, get };
}

t.test("the mode, by which tests know us", async (t) => {
  const headers = { "Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff" };
  t.strictSame(await setUp().get("/proxyMode"), { status: 200, headers, body: "iptables" });
});

t.test("the configuration that holds", async (t) => {
  const { status, headers, body } = await setUp().get("/configz");
  t.equal(status, 200);
  t.strictSame(headers, { "Content-Type": "application/json", "X-Content-Type-Options": "nosniff" });
  t.match(
    body,
    /^{"kubeproxy.config.k8s.io":{"kind":"KubeProxyConfiguration","apiVersion":"kubeproxy.config.k8s.io\/v1alpha1","/,
  );
  matchGolden(t, `${FIXTURES}serve/configz.json`, `${JSON.stringify(JSON.parse(body), undefined, 2)}\n`);
});

t.test("metrics, in the format that is asked for", async (t) => {
  const { get, metrics } = setUp();
  metrics.answered("/livez", 200);
  const plain = await get("/metrics");
  t.equal(plain.headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8");
  t.match(plain.body, '\nkubeproxy_proxy_livez_total{code="200"} 1\n');
  const open = await get("/metrics", { accept: "application/openmetrics-text" });
  t.match(open.headers["Content-Type"], "application/openmetrics-text");
});

t.test("checks that were made, until they are forgotten", async (t) => {
  const { get } = setUp();
  await get("/healthz");
  t.match((await get("/metrics/slis")).body, 'kubernetes_healthcheck{name="ping",type="healthz"} 1');
  t.match(await get("/metrics/slis", { method: "DELETE" }), plainText("metrics reset\n"));
  t.notMatch((await get("/metrics/slis")).body, "ping");
});

const PAGES = [
  { path: "/healthz", body: "ok" },
  { path: "/healthz/ping", body: "ok" },
  { path: "/flagz", body: /\nv=0\n/ },
  { path: "/statusz", body: /\nPaths: \/configz \/flagz \/healthz \/metrics \/proxyMode\n$/ },
  { path: "/rules", body: "the rules" },
];

for (const { path, body } of PAGES) {
  t.test(`${path} is there`, async (t) => {
    t.match(await setUp().get(path), { status: 200, body });
  });
}

for (const path of [
  "/",
  "/livez",
  "/readyz",
  "/healthz/",
  "/healthz/log",
  "/metrics/",
  "/debug/pprof",
  "/debug/flags/v",
]) {
  t.test(`${path} is not`, async (t) => {
    t.strictSame(await setUp().get(path), NOT_FOUND);
  });
}

t.test("gates take /flagz and /statusz away", async (t) => {
  const served = { flagz: false, statusz: false, nativeHistograms: false };
  t.strictSame(await setUp({ served }).get("/flagz"), NOT_FOUND);
  t.strictSame(await setUp({ served }).get("/statusz"), NOT_FOUND);
  const { body } = await setUp({ served: { ...served, statusz: true } }).get("/statusz");
  t.match(body, "\nPaths: /configz /healthz /metrics /proxyMode\n");
});

t.test("profiling adds what is below /debug", async (t) => {
  const { get } = setUp({ enableProfiling: true });
  t.equal((await get("/debug/flags")).status, 200);
  t.equal((await get("/debug/pprof")).status, 200);
});
