// Does `/metrics/slis` tell what was checked, until it is told to forget?
import t from "tap";
import { createCheckMetrics } from "../../src/serve/metrics-health.ts";
import { FIXTURES, matchGolden } from "../support/golden.ts";
import { readPrometheusText } from "../support/prometheus-text.ts";

t.test("checks by name and path: the last result, and how often which", async (t) => {
  const checks = createCheckMetrics();
  t.equal((await checks.render(undefined)).text, "", "nothing before the first");
  for (const passed of [true, false, true]) checks.checked("ping", "healthz", passed);
  checks.checked("ping", "livez", false);
  const { text } = await checks.render(undefined);
  readPrometheusText(text);
  matchGolden(t, `${FIXTURES}metrics/slis.txt`, text);
  checks.reset();
  t.equal((await checks.render(undefined)).text, "");
  checks.checked("ping", "healthz", true);
  t.match(
    (await checks.render(undefined)).text,
    /^kubernetes_healthchecks_total\{.*\} 1$/m,
    "counted from the beginning",
  );
});
