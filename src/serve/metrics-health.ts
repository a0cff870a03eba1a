// How often was our health asked for, and what was answered?
import Registry from "prom-client/lib/registry.js";
import { type Group, makeCounter, makeGauge } from "./metrics-makers.ts";
import { type RenderedMetrics, renderMetrics } from "./metrics-text.ts";

export type HealthPath = "/healthz" | "/livez";

/** Counts the answers of the health server by status code. */
export function countHealthAnswers(group: Group): (path: HealthPath, code: number) => void {
  const counterOf = (name: string, path: HealthPath) =>
    makeCounter(group, { name, help: `Answers to ${path} by status code`, labelNames: ["code"] });
  const counters = {
    "/healthz": counterOf("proxy_healthz_total", "/healthz"),
    "/livez": counterOf("proxy_livez_total", "/livez"),
  };
  return (path, code) => counters[path].inc({ code: String(code) });
}

/** The single checks behind a health path of the metrics server: `/metrics/slis`. */
export interface CheckMetrics {
  /** A check was run: its name (`ping`), and the path that it belongs to without the slash (`healthz`). */
  checked(name: string, type: string, passed: boolean): void;
  render(accept: string | undefined): Promise<RenderedMetrics>;
  /** Forgets all that was checked. */
  reset(): void;
}

export function createCheckMetrics(): CheckMetrics {
  const registry = new Registry();
  const group: Group = { registry, prefix: "kubernetes_", stability: "STABLE" };
  const result = makeGauge(group, {
    name: "healthcheck",
    help: "Result of a check when it was last run: 1 where it passed",
    labelNames: ["name", "type"],
  });
  const results = makeCounter(group, {
    name: "healthchecks_total",
    help: "Results of checks",
    labelNames: ["name", "status", "type"],
  });
  return {
    checked(name, type, passed) {
      result.set({ name, type }, passed ? 1 : 0);
      results.inc({ name, status: passed ? "success" : "error", type });
    },
    render: (accept) => renderMetrics(registry, accept),
    reset: () => registry.resetMetrics(),
  };
}
