// Which format does who get?
import Registry from "prom-client/lib/registry.js";
import t from "tap";
import { makeCounter, makeGauge } from "../../src/serve/metrics-makers.ts";
import { renderMetrics } from "../../src/serve/metrics-text.ts";

const PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";
const OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

const OPEN = "application/openmetrics-text;version=1.0.0";
const ACCEPTED = [
  { who: "somebody without a wish", accept: undefined, type: PROMETHEUS },
  { who: "curl", accept: "*/*", type: PROMETHEUS },
  { who: "a browser", accept: "text/html,application/xhtml+xml,*/*;q=0.8", type: PROMETHEUS },
  {
    who: "Prometheus 2",
    accept: `${OPEN},application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1`,
    type: OPENMETRICS,
  },
  {
    who: "Prometheus 3 with native histograms",
    accept:
      "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6," +
      `${OPEN};escaping=allow-utf-8;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,*/*;q=0.1`,
    type: OPENMETRICS,
  },
  { who: "one who reads both alike", accept: `${OPEN}, text/plain`, type: PROMETHEUS },
  { who: "one who would rather have text", accept: `${OPEN};q=0.4, text/*;q=0.5`, type: PROMETHEUS },
  {
    who: "one who only reads the OpenMetrics of old",
    accept: "application/openmetrics-text;version=0.0.1",
    type: PROMETHEUS,
  },
  { who: "one who refuses OpenMetrics", accept: "application/openmetrics-text;q=0", type: PROMETHEUS },
  { who: "one whose weight is no number", accept: "application/openmetrics-text;q=much", type: PROMETHEUS },
  { who: "one who shouts", accept: "Application/OpenMetrics-Text; Version=1.0.0; Q=0.5", type: OPENMETRICS },
];

for (const { who, accept, type } of ACCEPTED) {
  t.test(`${who} gets ${type === OPENMETRICS ? "OpenMetrics" : "Prometheus text"}`, async (t) => {
    t.equal((await renderMetrics(new Registry(), accept)).contentType, type);
  });
}

t.test("metrics stand by name, without those that have no value, and one form does not change the other", async (t) => {
  const registry = new Registry();
  const group = { registry, prefix: "x_", stability: "ALPHA" } as const;
  makeGauge(group, { name: "z", help: "last" }).set(1.5);
  makeCounter(group, { name: "none_total", help: "never used", labelNames: ["a"] });
  makeCounter(group, { name: "a_total", help: "first", labelNames: ["a"] }).inc({ a: 'q"\\\n' }, 2);
  const text = `# HELP x_a_total [ALPHA] first
# TYPE x_a_total counter
x_a_total{a="q\\"\\\\\\n"} 2
# HELP x_z [ALPHA] last
# TYPE x_z gauge
x_z 1.5
`;
  t.equal((await renderMetrics(registry, undefined)).text, text);
  const open = text.replace("HELP x_a_total", "HELP x_a").replace("TYPE x_a_total", "TYPE x_a");
  t.equal((await renderMetrics(registry, OPEN)).text, `${open}# EOF\n`);
  t.equal((await renderMetrics(registry, undefined)).text, text);
});

t.test("a registry of nothing", async (t) => {
  t.equal((await renderMetrics(new Registry(), undefined)).text, "");
  t.equal((await renderMetrics(new Registry(), OPEN)).text, "# EOF\n");
});
