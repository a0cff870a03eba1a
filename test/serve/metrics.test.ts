// Tests of `/metrics`: names, labels and values, and that Prometheus can read them.
import t from "tap";
import { createMetrics, type Metrics } from "../../src/serve/metrics.ts";
import { FIXTURES, matchGolden } from "../support/golden.ts";
import { buildMetrics, buildReport, NOW, textOf } from "../support/metrics.ts";
import { readPrometheusText, sampleOf } from "../support/prometheus-text.ts";
import { askPromtool, promtoolSkip } from "../support/promtool.ts";

const GATES = [
  { name: "AllAlpha", stage: "alpha", on: false },
  { name: "ComponentFlagz", stage: "beta", on: true },
  { name: "MultiCIDRServiceAllocator", stage: "stable", on: true },
] as const;

const MODES = ["iptables", "ipvs"] as const;

/** A node on which everything happened once that metrics tell of. */
function eventful(mode: (typeof MODES)[number]): Metrics {
  const { metrics } = buildMetrics({ mode, gates: GATES, readCounter: async (name) => BigInt(name.length) });
  const { observer, requests, pluginCalled } = metrics;
  observer.began("IPv4");
  observer.began("IPv6");
  observer.changed("Service", { arrived: 3, pending: 2 });
  observer.changed("EndpointSlice", { arrived: 5, pending: 4 });
  observer.queued("IPv4");
  observer.progressed("IPv4", { done: 1, of: 2, rules: 10_000 });
  observer.passed("IPv4", buildReport({ scope: "full", elapsed: 1500, triggers: [NOW - 400, NOW - 61_000] }));
  observer.passed("IPv4", buildReport({ ...REPORT, setAside: SET_ASIDE }));
  observer.passed("IPv6", buildReport({ failure: { step: "iptables", code: "2", words: "no" }, refusedRestores: 3 }));
  observer.flushed("IPv4", { elapsed: 2, deleted: 7 });
  observer.changed("Service", { arrived: 1, pending: 1 });
  requests({ host: "10.0.0.1:6443", method: "GET", code: 200, elapsed: 30, throttled: 0, responseSize: 70_000 });
  requests({ host: "10.0.0.1:6443", method: "GET", code: 410, throttled: 180 });
  requests({ host: "10.0.0.1:6443", method: "POST", throttled: 0, requestSize: 500 });
  pluginCalled({ code: 7, status: "plugin_execution_error" });
  pluginCalled({ code: 0, status: "no_error", certificate: { notBefore: NOW - 900_000, notAfter: NOW + 60_000 } });
  pluginCalled({ code: 0, status: "no_error", certificate: { notBefore: NOW, notAfter: NOW + 3_600_000 } });
  for (const code of [200, 503, 200]) metrics.answered("/healthz", code);
  metrics.answered("/livez", 200);
  return metrics;
}

const SET_ASIDE = [
  { servicePort: "a/b:c/TCP", reason: "no" },
  { servicePort: "a/b:d/TCP", reason: "no", item: "10.0.0.1:80/TCP" },
  { servicePort: "a/b:e/TCP", reason: "no", item: "KUBE-CLUSTER-IP 10.0.0.1,tcp:80", partial: true },
] as const;

const REPORT = {
  sent: { filter: 1, nat: 4 },
  owned: () => ({ filter: 12, nat: 345 }),
  driftedLines: 2,
  withoutLocalEndpoints: { internal: 1, external: 6 },
};

/** Without what is another on each machine. */
function fixed(text: string): string {
  const families = text.split(/^(?=# HELP )/m).filter((family) => !/^# HELP (process|nodejs)_/.test(family));
  return families
    .join("")
    .replace(/platform="[^"]*"/, 'platform="linux/amd64"')
    .replace(process.version, "v20.0.0");
}

for (const mode of MODES) {
  t.test(`a node in ${mode} mode on which everything happened`, async (t) => {
    const text = await textOf(eventful(mode));
    readPrometheusText(text);
    matchGolden(t, `${FIXTURES}metrics/${mode}.txt`, fixed(text));
  });

  t.test(`a node in ${mode} mode on which nothing happened yet`, async (t) => {
    const text = await textOf(buildMetrics({ mode }).metrics);
    readPrometheusText(text);
    matchGolden(t, `${FIXTURES}metrics/${mode}-at-start.txt`, fixed(text));
  });
}

t.test("the same as OpenMetrics", async (t) => {
  const { contentType, text } = await eventful("iptables").render("application/openmetrics-text");
  t.equal(contentType, "application/openmetrics-text; version=1.0.0; charset=utf-8");
  matchGolden(t, `${FIXTURES}metrics/iptables-open.txt`, fixed(text));
});

t.test(
  "Prometheus' own tool reads it, and dislikes only names that kube-proxy gave",
  { skip: promtoolSkip() },
  async (t) => {
    for (const mode of MODES) {
      const gauges = ["no_local_endpoints", ...(mode === "iptables" ? ["iptables"] : [])];
      t.same(
        askPromtool(await textOf(eventful(mode))).toSorted(),
        gauges
          .map((name) => `kubeproxy_sync_proxy_rules_${name}_total non-counter metrics should not have "_total" suffix`)
          .sort(),
      );
    }
  },
);

t.test("buckets are those of kube-proxy", async (t) => {
  const families = readPrometheusText(await textOf(eventful("iptables")));
  const boundsOf = (name: string) => {
    const samples = families.find((family) => family.name === name)?.samples ?? [];
    return [...new Set(samples.flatMap(({ labels }) => labels.get("le") ?? []))].join(" ");
  };
  const pass = "0.001 0.002 0.004 0.008 0.016 0.032 0.064 0.128 0.256 0.512 1.024 2.048 4.096 8.192 16.384 +Inf";
  for (const name of [
    "sync_proxy_rules",
    "sync_full_proxy_rules",
    "sync_partial_proxy_rules",
    "conntrack_reconciler_sync",
  ]) {
    t.equal(boundsOf(`kubeproxy_${name}_duration_seconds`), pass, name);
  }
  const seconds = Array.from({ length: 59 }, (_, index) => index + 1).join(" ");
  t.equal(
    boundsOf("kubeproxy_network_programming_duration_seconds"),
    `0.25 0.5 ${seconds} 60 65 70 75 80 85 90 95 100 105 110 115 120 150 180 210 240 270 300 +Inf`,
  );
});

t.test("an event of a Service counts once for each family that runs", async (t) => {
  for (const families of [["IPv4"], ["IPv4", "IPv6"]] as const) {
    const { metrics } = buildMetrics({ families });
    metrics.observer.changed("Service", { arrived: 4, pending: 0 });
    const text = await textOf(metrics);
    t.equal(sampleOf(text, "kubeproxy_sync_proxy_rules_service_changes_total"), 4 * families.length);
  }
});

t.test("changes are pending until a pass succeeds", async (t) => {
  const { metrics } = buildMetrics();
  const pending = async () => {
    const text = await textOf(metrics);
    return ["service", "endpoint"].map((one) => sampleOf(text, `kubeproxy_sync_proxy_rules_${one}_changes_pending`));
  };
  metrics.observer.changed("Service", { arrived: 1, pending: 1 });
  metrics.observer.changed("EndpointSlice", { arrived: 1, pending: 2 });
  metrics.observer.passed("IPv4", buildReport({ failure: { step: "observe", code: "4", words: "no" } }));
  t.same(await pending(), [1, 2]);
  metrics.observer.passed("IPv4", buildReport());
  t.same(await pending(), [0, 0]);
});

t.test("a pass that failed has no time of success and brought nothing into the kernel", async (t) => {
  const { metrics } = buildMetrics();
  const failure = { step: "iptables", code: "2", words: "no" };
  metrics.observer.passed(
    "IPv4",
    buildReport({ failure, triggers: [NOW], withoutLocalEndpoints: { internal: 1, external: 1 } }),
  );
  const text = await textOf(metrics);
  t.notMatch(text, /last_timestamp|network_programming|no_local_endpoints/);
  t.equal(sampleOf(text, "kubeproxy_sync_proxy_rules_duration_seconds_count", { ip_family: "IPv4" }), 1);
});

t.test("a change from the future took no time", async (t) => {
  const { metrics } = buildMetrics();
  metrics.observer.passed("IPv4", buildReport({ triggers: [NOW + 5000] }));
  t.equal(
    sampleOf(await textOf(metrics), "kubeproxy_network_programming_duration_seconds_sum", { ip_family: "IPv4" }),
    0,
  );
});

const PARTIAL = [
  { name: "succeeded", change: {}, count: undefined },
  { name: "succeeded without the culprit that was refused first", change: { refusedRestores: 2 }, count: 1 },
  { name: "could not look", change: { failure: { step: "observe", code: "4", words: "no" } }, count: 1 },
] as const;

for (const { name, change, count } of PARTIAL) {
  t.test(`a partial pass that ${name} is ${count ? "" : "no "}partial failure`, async (t) => {
    const { metrics } = buildMetrics();
    metrics.observer.passed("IPv4", buildReport(change));
    metrics.observer.passed("IPv6", buildReport({ ...change, scope: "full" }));
    const text = await textOf(metrics);
    const partial = "kubeproxy_sync_proxy_rules_iptables_partial_restore_failures_total";
    t.equal(sampleOf(text, partial, { ip_family: "IPv4" }), count);
    t.equal(sampleOf(text, partial, { ip_family: "IPv6" }), undefined);
  });
}

t.test("rules are counted when somebody asks, once for each pass", async (t) => {
  const { metrics } = buildMetrics();
  let counted = 0;
  const owned = () => ({ filter: 0, nat: ++counted });
  const total = async () =>
    sampleOf(await textOf(metrics), "kubeproxy_sync_proxy_rules_iptables_total", { ip_family: "IPv4", table: "nat" });
  metrics.observer.passed("IPv4", buildReport({ owned }));
  metrics.observer.passed("IPv4", buildReport({ owned }));
  t.equal(counted, 0);
  t.equal(await total(), 1);
  t.equal(await total(), 1);
  metrics.observer.passed("IPv4", buildReport({ owned }));
  t.equal(await total(), 2);
});

t.test("without a clock of its own it is the machine's", async (t) => {
  const metrics = createMetrics({ mode: "ipvs", families: ["IPv4"], version: "0.1.0", gates: [], complain: () => {} });
  const before = Date.now() / 1000;
  metrics.observer.queued("IPv4");
  const queued = sampleOf(await textOf(metrics), "kubeproxy_sync_proxy_rules_last_queued_timestamp_seconds", {
    ip_family: "IPv4",
  });
  t.ok(queued !== undefined && queued >= before && queued <= Date.now() / 1000);
});

t.test("tables that iptables cannot read are shown from the first one on, until they can be read", async (t) => {
  const { metrics } = buildMetrics();
  const shown = async (unreadableTables: Record<string, string>) => {
    metrics.observer.passed("IPv6", buildReport({ unreadableTables }));
    metrics.observer.passed("IPv4", buildReport());
    return (await textOf(metrics)).split("\n").filter((line) => line.startsWith("fairlead_unreadable_tables"));
  };
  t.strictSame(await shown({}), []);
  t.strictSame(await shown({ filter: "no", nat: "no" }), [
    'fairlead_unreadable_tables{ip_family="IPv6",table="filter"} 1',
    'fairlead_unreadable_tables{ip_family="IPv6",table="nat"} 1',
  ]);
  t.strictSame(await shown({ nat: "no" }), ['fairlead_unreadable_tables{ip_family="IPv6",table="nat"} 1']);
  t.strictSame(await shown({}), []);
});

t.test("unreadable manifests are counted once there are manifests", async (t) => {
  const { metrics } = buildMetrics();
  t.notMatch(await textOf(metrics), "fairlead_unreadable_manifests");
  for (const count of [0, 2, 1]) {
    metrics.unreadableManifests(count);
    t.equal(sampleOf(await textOf(metrics), "fairlead_unreadable_manifests"), count);
  }
});

t.test("each watch of the API server has its state, its last event and list, and the age of its objects", async (t) => {
  const clock = { now: NOW };
  const { metrics } = buildMetrics({ now: () => clock.now });
  t.notMatch(await textOf(metrics), "fairlead_watch", "not without an API server");
  const { watches } = metrics;
  const sample = async (name: string) => sampleOf(await textOf(metrics), `fairlead_${name}`, { resource: "services" });
  watches.connected("services", false);
  t.equal(await sample("watch_connected"), 0);
  t.equal(await sample("objects_age_seconds"), undefined, "nothing is known yet");
  watches.listed("services");
  watches.connected("services", true);
  clock.now += 30_000;
  watches.heard("services");
  clock.now += 12_000;
  t.equal(await sample("watch_connected"), 1);
  t.equal(await sample("watch_last_list_timestamp_seconds"), NOW / 1000);
  t.equal(await sample("watch_last_event_timestamp_seconds"), NOW / 1000 + 30);
  t.equal(await sample("objects_age_seconds"), 12);
  watches.listed("nodes");
  t.equal(sampleOf(await textOf(metrics), "fairlead_objects_age_seconds", { resource: "nodes" }), 0, "a list confirms");
});
