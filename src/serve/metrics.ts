// Serves `/metrics`.
import Registry from "prom-client/lib/registry.js";
import type { Family } from "../net/family.ts";
import { type Observer, together } from "../sync/observer.ts";
import { type CheckMetrics, countHealthAnswers, createCheckMetrics, type HealthPath } from "./metrics-health.ts";
import { observeIptables, observeRestores } from "./metrics-iptables.ts";
import type { Group } from "./metrics-makers.ts";
import { countUnreadableManifests, observeOwn, observeWatches, tellMode, type WatchMetrics } from "./metrics-own.ts";
import { countPackets, type PacketInput } from "./metrics-packets.ts";
import { registerProcess } from "./metrics-process.ts";
import { countMetrics, type Release, tellRelease } from "./metrics-release.ts";
import { observePlugin, observeRequests, type PluginObserver, type RequestObserver } from "./metrics-requests.ts";
import { observeSync } from "./metrics-sync.ts";
import { type RenderedMetrics, renderMetrics } from "./metrics-text.ts";

export interface MetricsInput extends Release {
  /** The mode that runs. */
  readonly mode: "iptables" | "ipvs";
  /** What the kernel lacks for the mode that was asked for, where another one runs. */
  readonly fallback?: string;
  /** Those that have a loop. */
  readonly families: readonly Family[];
  /** Reads packets of an nfacct counter; absent where the kernel has none. */
  readonly readCounter?: PacketInput["readCounter"];
  /** Takes a line for the log when a scrape cannot read something. */
  readonly complain: PacketInput["complain"];
  /** Milliseconds since 1970; the machine's clock when absent. */
  readonly now?: () => number;
}

export interface Metrics {
  /** To be told what the loops do. An event that concerns both families is told once. */
  readonly observer: Observer;
  /** To be told of each request to the API server. */
  readonly requests: RequestObserver;
  /** Called after each run of a credential plugin. */
  readonly pluginCalled: PluginObserver;
  /** Takes the state of the watches of the API server. */
  readonly watches: WatchMetrics;
  /** To be told of each answer of the health server. */
  answered(path: HealthPath, code: number): void;
  /** To be told how many of the manifests cannot be read, whenever they were read. */
  readonly unreadableManifests: (count: number) => void;
  /** The content of `/metrics`, in the format that an Accept header asks for. */
  render(accept: string | undefined): Promise<RenderedMetrics>;
  /** `/metrics/slis`. */
  readonly checks: CheckMetrics;
}

/** Metrics of kube-proxy 1.36 under its names, and ours under `fairlead_`. */
export function createMetrics(input: MetricsInput): Metrics {
  const registry = new Registry();
  const group = (prefix: string): Group => ({ registry, prefix, stability: "ALPHA" });
  const observer = together(observersOf(group, input));
  const requests = observeRequests(group(""));
  const pluginCalled = observePlugin(group(""), input.now ?? Date.now);
  const answered = countHealthAnswers(group("kubeproxy_"));
  tellMode(group("fairlead_"), input.mode, input.fallback);
  tellRelease(registry, input);
  registerProcess(registry);
  countMetrics(registry);
  return {
    observer,
    requests,
    pluginCalled,
    watches: observeWatches(group("fairlead_"), input.now ?? Date.now),
    answered,
    unreadableManifests: countUnreadableManifests(group("fairlead_")),
    render: (accept) => renderMetrics(registry, accept),
    checks: createCheckMetrics(),
  };
}

/** What a mode does not tell is not registered in it. */
function observersOf(group: (prefix: string) => Group, input: MetricsInput): readonly Observer[] {
  const { mode, families, readCounter, complain, now = Date.now } = input;
  const kubeproxy = group("kubeproxy_");
  const both = [
    observeSync(kubeproxy, { families: families.length, now }),
    observeRestores(kubeproxy),
    observeOwn(group("fairlead_")),
  ];
  if (mode === "ipvs") return both;
  if (readCounter) countPackets(kubeproxy, { readCounter, complain });
  return [...both, observeIptables(kubeproxy)];
}
