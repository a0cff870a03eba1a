// How are metrics written down for the one who asks?
import type Registry from "prom-client/lib/registry.js";

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

/** Weighs the types of an Accept header; a tie goes to the Prometheus text, which everybody reads. */
function prefersOpenMetrics(accept = ""): boolean {
  const ranges = accept.split(",").map(readRange);
  const weightOf = (types: readonly string[]) =>
    Math.max(0, ...ranges.filter(({ type }) => types.includes(type)).map(({ weight }) => weight));
  return weightOf(["application/openmetrics-text"]) > weightOf(["text/plain", "text/*", "*/*"]);
}

interface Range {
  /** Empty for a version that is not written here. */
  readonly type: string;
  readonly weight: number;
}

function readRange(text: string): Range {
  const [type, ...rest] = text.split(";").map((part) => part.trim().toLowerCase());
  const parameters = new Map(rest.map((part): [string, string] => [part.replace(/=.*/, ""), part.replace(/^.*=/, "")]));
  const written = ["0.0.4", "1.0.0", undefined].includes(parameters.get("version"));
  return { type: written ? `${type}` : "", weight: Number(parameters.get("q") ?? 1) };
}
