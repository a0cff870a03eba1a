// Checks that the process_* metrics describe this process.
import { readFileSync } from "node:fs";
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

t.test("the limit of virtual memory and the bytes of the network namespace are those of the kernel", async (t) => {
  const octets = () => {
    const [names = [], values = []] = readFileSync("/proc/self/net/netstat", "utf8")
      .split("\n")
      .filter((line) => line.startsWith("IpExt:"))
      .map((line) => line.split(" "));
    return ["InOctets", "OutOctets"].map((name) => Number(values[names.indexOf(name)]));
  };
  const { metrics } = buildMetrics();
  const before = octets();
  await textOf(metrics);
  const text = await textOf(metrics);
  const after = octets();
  for (const [index, direction] of ["receive", "transmit"].entries()) {
    const bytes = sampleOf(text, `process_network_${direction}_bytes_total`) ?? Number.NaN;
    t.ok(bytes >= (before[index] ?? 0) && bytes <= (after[index] ?? 0), `${direction}: ${bytes}`);
  }
  const [, soft] = /^Max address space +(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  t.equal(sampleOf(text, "process_virtual_memory_max_bytes"), soft === "unlimited" ? 2 ** 64 : Number(soft));
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
