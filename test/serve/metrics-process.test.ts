// Are memory, processor time and start those of this process?
import { createRequire } from "node:module";
import t from "tap";
import { buildMetrics, textOf } from "../support/metrics.ts";
import { sampleOf } from "../support/prometheus-text.ts";

t.test("what every dashboard of processes asks for", async (t) => {
  const { metrics } = buildMetrics();
  const before = process.cpuUsage();
  const text = await textOf(metrics);
  const after = process.cpuUsage();
  const cpu = sampleOf(text, "process_cpu_seconds_total") ?? Number.NaN;
  t.ok(cpu >= (before.user + before.system) / 1e6 && cpu <= (after.user + after.system) / 1e6, `${cpu} s`);
  const started = sampleOf(text, "process_start_time_seconds") ?? Number.NaN;
  t.ok(Math.abs(Date.now() / 1000 - process.uptime() - started) < 2, `started at ${started}`);
  const resident = sampleOf(text, "process_resident_memory_bytes") ?? Number.NaN;
  t.ok(Math.abs(resident / process.memoryUsage.rss() - 1) < 0.5, `${resident} bytes`);
  for (const name of [
    "process_open_fds",
    "process_max_fds",
    "process_virtual_memory_bytes",
    "nodejs_heap_size_used_bytes",
  ]) {
    t.ok((sampleOf(text, name) ?? 0) > 0, name);
  }
});

t.test("processor time is told anew at each scrape, not added up", async (t) => {
  const { metrics } = buildMetrics();
  for (let scrape = 0; scrape < 5; scrape++) await textOf(metrics);
  const { user, system } = process.cpuUsage();
  t.ok((sampleOf(await textOf(metrics), "process_cpu_seconds_total") ?? Number.NaN) < (user + system) / 1e6 + 1);
});

t.test("OpenTelemetry, which nothing here uses, is not loaded", (t) => {
  const loaded = Object.keys(createRequire(import.meta.url).cache);
  t.ok(
    loaded.some((path) => path.includes("/prom-client/lib/histogram.js")),
    "the look sees what is loaded",
  );
  t.notOk(loaded.some((path) => path.includes("/@opentelemetry/")));
  t.end();
});
