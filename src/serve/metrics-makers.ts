// How is a metric made, so that all of one group begin alike?
import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import Histogram from "prom-client/lib/histogram.js";
import type Registry from "prom-client/lib/registry.js";

/** What a group of metrics has in common. */
export interface Group {
  readonly registry: Registry;
  /** In front of every name: `kubeproxy_`. */
  readonly prefix: string;
  /** Kubernetes' promise for the name, in front of every help text. */
  readonly stability: "ALPHA" | "BETA" | "STABLE";
}

interface Described<Label extends string> {
  readonly name: string;
  readonly help: string;
  /** A metric with labels is shown once it is first used, one without from the beginning. */
  readonly labelNames?: readonly Label[];
  /** Called when the metric is read, to bring it up to date. */
  readonly collect?: () => void | Promise<void>;
}

export function makeCounter<Label extends string = never>(group: Group, described: Described<Label>): Counter<Label> {
  return new Counter(configurationOf(group, described));
}

export function makeGauge<Label extends string = never>(group: Group, described: Described<Label>): Gauge<Label> {
  return new Gauge(configurationOf(group, described));
}

/** `buckets` are upper bounds, ascending, without the infinite one. */
export function makeHistogram<Label extends string>(
  group: Group,
  { buckets, ...described }: Described<Label> & { readonly buckets: readonly number[] },
): Histogram<Label> {
  return new Histogram({ ...configurationOf(group, described), buckets: [...buckets] });
}

function configurationOf<Label extends string>(group: Group, described: Described<Label>) {
  const { registry, prefix, stability } = group;
  const name = `${prefix}${described.name}`;
  return { ...described, name, help: `[${stability}] ${described.help}`, registers: [registry] };
}
