// Prints metrics in the Prometheus text format or as OpenMetrics.
import type Registry from "prom-client/lib/registry.js";
import { readAccept } from "./answer.ts";

/** One answer to a scrape. */
export interface RenderedMetrics {
  readonly contentType: string;
  readonly text: string;
}

const PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";
const OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/**
 * All that the registry knows, by name: the Prometheus text format, or OpenMetrics for whoever prefers it in his Accept
 * header. Metrics without a value are left out.
 */
export async function renderMetrics(registry: Registry, accept: string | undefined): Promise<RenderedMetrics> {
  const families = (await registry.metrics()).trimEnd().split("\n\n").filter(hasValue).sort(byName);
  if (!prefersOpenMetrics(accept)) return { contentType: PROMETHEUS, text: families.map((one) => `${one}\n`).join("") };
  const text = families.map((one) => `${openMetrics(one)}\n`).join("");
  return { contentType: OPENMETRICS, text: `${text}# EOF\n` };
}

/** Behind the lines of help and type there is another. */
function hasValue(family: string): boolean {
  return family.split("\n", 3).length === 3;
}

// The first line is `# HELP name …` in every family, so lines compare as names do.
function byName(a: string, b: string): number {
  return a < b ? -1 : 1;
}

// prom-client writes OpenMetrics too, but not from a registry that also writes the other: it renames its counters.
function openMetrics(family: string): string {
  return family
    .replace(/^(# HELP \S+)_total (.*\n# TYPE \S+)_total counter$/m, "$1 $2 counter")
    .replace(/([{,]le="\d+)"/g, '$1.0"');
}

/** Weighs the types of an Accept header; a tie goes to the Prometheus text, which every client reads. */
function prefersOpenMetrics(accept = ""): boolean {
  const ranges = readAccept(accept).filter(({ parameters }) => VERSIONS.includes(parameters.get("version")));
  const weightOf = (types: readonly string[]) =>
    Math.max(0, ...ranges.filter(({ type }) => types.includes(type)).map(({ weight }) => weight));
  return weightOf(["application/openmetrics-text"]) > weightOf(["text/plain", "text/*", "*/*"]);
}

/** Of either format the one that is written here, or any. */
const VERSIONS: readonly (string | undefined)[] = ["0.0.4", "1.0.0", undefined];
