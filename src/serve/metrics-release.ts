// `kubernetes_build_info`, `kubernetes_feature_enabled` and the counters of registered metrics.
import type Registry from "prom-client/lib/registry.js";
import { type Group, makeCounter, makeGauge } from "./metrics-makers.ts";

/** A feature gate as it stands. */
export interface GateState {
  readonly name: string;
  readonly stage: "alpha" | "beta" | "stable";
  readonly on: boolean;
}

export interface Release {
  /** Three numbers with dots, without a `v`. */
  readonly version: string;
  readonly gates: readonly GateState[];
}

/** Those of Kubernetes' programs, so that dashboards find them; what we do not know of our build is empty. */
const BUILD_LABELS = [
  "build_date",
  "compiler",
  "git_commit",
  "git_tree_state",
  "git_version",
  "go_version",
  "major",
  "minor",
  "platform",
] as const;

/** As Kubernetes' own programs tell it, in labels. A stage of nothing is a stable gate. */
export function tellRelease(registry: Registry, { version, gates }: Release): void {
  tellBuild({ registry, prefix: "kubernetes_", stability: "ALPHA" }, version);
  const gate = makeGauge(
    { registry, prefix: "kubernetes_", stability: "BETA" },
    { name: "feature_enabled", help: "Whether a feature gate is on, with its stage", labelNames: ["name", "stage"] },
  );
  for (const { name, stage, on } of gates) {
    gate.set({ name, stage: stage === "stable" ? "" : stage.toUpperCase() }, on ? 1 : 0);
  }
}

function tellBuild(group: Group, version: string): void {
  const [major = "", minor = ""] = version.split(".");
  const build = makeGauge(group, {
    name: "build_info",
    help: "A constant 1 with the version of this program, of Node.js and V8, and the platform it runs on",
    labelNames: BUILD_LABELS,
  });
  build.set(
    {
      build_date: "",
      compiler: "v8",
      git_commit: "",
      git_tree_state: "",
      git_version: `v${version}`,
      go_version: `node ${process.version}`,
      major,
      minor,
      platform: platformOf(process.platform, process.arch),
    },
    1,
  );
}

/** `linux/amd64`: words of Go, which every label of a cluster's nodes uses. */
export function platformOf(platform: string, arch: string): string {
  return `${platform}/${arch === "x64" ? "amd64" : arch}`;
}

/** The registry's counters of itself. No metric here is deprecated, so none is hidden and no switch shows one. */
export function countMetrics(registry: Registry): void {
  const group: Group = { registry, prefix: "", stability: "BETA" };
  makeCounter(group, { name: "hidden_metrics_total", help: "Metrics that are hidden because they are deprecated" });
  makeCounter(group, { name: "disabled_metrics_total", help: "Metrics that are switched off" });
  const registered = makeCounter(group, {
    name: "registered_metrics_total",
    help: "Metrics that are registered, by stability and by the version that deprecated them",
    labelNames: ["deprecated_version", "stability_level"],
  });
  for (const { help } of registry.getMetricsAsArray()) {
    const stability = /^\[(\w+)\]/.exec(help)?.[1];
    if (stability) registered.inc({ deprecated_version: "", stability_level: stability });
  }
}
