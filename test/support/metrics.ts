// What is told to the metrics in a test, and what do they say then?
import { createMetrics, type Metrics, type MetricsInput } from "../../src/serve/metrics.ts";
import type { PassReport } from "../../src/sync/observer.ts";

export const NOW = Date.parse("2026-01-02T03:04:05.600Z");

/** Metrics of an iptables node with both families at a fixed time, and the complaints so far. */
export function buildMetrics(change: Partial<MetricsInput> = {}): { metrics: Metrics; complaints: readonly string[] } {
  const complaints: string[] = [];
  const metrics = createMetrics({
    mode: "iptables",
    families: ["IPv4", "IPv6"],
    version: "0.1.0",
    gates: [],
    complain: (words) => complaints.push(words),
    now: () => NOW,
    ...change,
  });
  return { metrics, complaints };
}

/** A pass that succeeded, found nothing to do, and told nothing. */
export function buildReport(change: Partial<PassReport> = {}): PassReport {
  return {
    elapsed: 3,
    scope: "partial",
    refusedRestores: 0,
    steps: 0,
    sent: { filter: 0, nat: 0 },
    owned: () => ({ filter: 0, nat: 0 }),
    driftedLines: 0,
    setAside: [],
    withoutLocalEndpoints: { internal: 0, external: 0 },
    serviceHealth: [],
    triggers: [],
    ...change,
  };
}

/** `/metrics` as Prometheus text. */
export async function textOf(metrics: Metrics): Promise<string> {
  return (await metrics.render(undefined)).text;
}
