// What does `/healthz` of the metrics server say?
import t from "tap";
import { plainText } from "../../src/serve/answer.ts";
import { createCheckMetrics } from "../../src/serve/metrics-health.ts";
import { ping, pingChecks } from "../../src/serve/ping.ts";
import { question } from "../support/question.ts";

const CASES = [
  { query: "", body: "ok", checked: true },
  { query: "verbose", body: "[+]ping ok\nhealthz check passed\n", checked: true },
  { query: "verbose=false", body: "[+]ping ok\nhealthz check passed\n", checked: true },
  { query: "exclude=ping", body: "ok", checked: false },
  { query: "verbose&exclude=ping", body: "[+]ping excluded: ok\nhealthz check passed\n", checked: false },
  {
    query: "verbose&exclude=etcd&exclude=ping&exclude=log",
    body: '[+]ping excluded: ok\nwarn: some health checks cannot be excluded: no matches for "etcd","log"\nhealthz check passed\n',
    checked: false,
  },
];

for (const { query, body, checked } of CASES) {
  t.test(`/healthz?${query}`, async (t) => {
    const checks = createCheckMetrics();
    t.strictSame(await pingChecks(checks)(question({ query: new URLSearchParams(query) })), plainText(body));
    const { text } = await checks.render(undefined);
    t.equal(text.includes('kubernetes_healthcheck{name="ping",type="healthz"} 1'), checked);
  });
}

t.test("/healthz/ping is not counted, there being nothing that could fail", async (t) => {
  t.strictSame(await ping(question({ path: "/healthz/ping" })), plainText("ok"));
});
