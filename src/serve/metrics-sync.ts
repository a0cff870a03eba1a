// What do the metrics of kube-proxy say of passes, whatever the mode?
import { type Observer, type PassReport, together } from "../sync/observer.ts";
import { type Group, makeCounter, makeGauge, makeHistogram } from "./metrics-makers.ts";

/** Upper bounds of a pass, in seconds: from a millisecond on, each twice the one before. */
export const PASS_BUCKETS: readonly number[] = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power);

/** Upper bounds from a change in the cluster to the kernel, in seconds. */
const PROGRAMMING_BUCKETS: readonly number[] = [
  0.25,
  0.5,
  ...range(1, 59, 1),
  ...range(60, 115, 5),
  ...range(120, 300, 30),
];

const FAMILY = { labelNames: ["ip_family"] } as const;

export interface SyncInput {
  /** How many families have a loop: each counts an event of a Service, so it is counted as often. */
  readonly families: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Durations, times of the last success and the last request, and the way of a change into the kernel. */
export function observeSync(group: Group, { families, now }: SyncInput): Observer {
  const times = passTimes(group, now);
  const changes = countChanges(group, families);
  return together([times, changes, observeFlows(group), observeLocality(group)]);
}

function passTimes(group: Group, now: () => number): Observer {
  const duration = makeHistogram(group, {
    name: "sync_proxy_rules_duration_seconds",
    help: "Seconds that a pass took, whether it succeeded or not",
    buckets: PASS_BUCKETS,
    ...FAMILY,
  });
  const programming = makeHistogram(group, {
    name: "network_programming_duration_seconds",
    help: "Seconds from a change of endpoints in the cluster until the kernel of this node had it",
    buckets: PROGRAMMING_BUCKETS,
    ...FAMILY,
  });
  const succeeded = makeGauge(group, {
    name: "sync_proxy_rules_last_timestamp_seconds",
    help: "Unix time of the last pass that succeeded",
    ...FAMILY,
  });
  const queued = makeGauge(group, {
    name: "sync_proxy_rules_last_queued_timestamp_seconds",
    help: "Unix time at which a pass was last asked for",
    ...FAMILY,
  });
  return {
    ...together([]),
    began: (family) => queued.set({ ip_family: family }, now() / 1000),
    queued: (family) => queued.set({ ip_family: family }, now() / 1000),
    passed(family, { elapsed, failure, triggers }) {
      duration.observe({ ip_family: family }, elapsed / 1000);
      if (failure) return;
      succeeded.set({ ip_family: family }, now() / 1000);
      // A clock in the cluster may be ahead of ours; a sum that falls would be taken for a restart.
      for (const trigger of triggers) programming.observe({ ip_family: family }, Math.max(0, now() - trigger) / 1000);
    },
  };
}

function countChanges(group: Group, families: number): Observer {
  const { pending: endpointsPending, total: endpoints } = changeMetrics(group, "endpoint", "EndpointSlices");
  const { pending: servicesPending, total: services } = changeMetrics(group, "service", "Services");
  return {
    ...together([]),
    changed(kind, { arrived, pending }) {
      if (kind === "Service") {
        services.inc(arrived * families);
        servicesPending.set(pending);
      } else {
        endpoints.inc(arrived);
        endpointsPending.set(pending);
      }
    },
    passed(_family, { failure }) {
      if (failure) return;
      servicesPending.set(0);
      endpointsPending.set(0);
    },
  };
}

function changeMetrics(group: Group, what: "endpoint" | "service", kind: string) {
  return {
    pending: makeGauge(group, {
      name: `sync_proxy_rules_${what}_changes_pending`,
      help: `Changes of ${kind} that no pass has taken up yet`,
    }),
    total: makeCounter(group, {
      name: `sync_proxy_rules_${what}_changes_total`,
      help: `Events of ${kind} that arrived`,
    }),
  };
}

function observeFlows(group: Group): Observer {
  const duration = makeHistogram(group, {
    name: "conntrack_reconciler_sync_duration_seconds",
    help: "Seconds that a search for stale connection tracking entries took",
    buckets: PASS_BUCKETS,
    ...FAMILY,
  });
  const deleted = makeCounter(group, {
    name: "conntrack_reconciler_deleted_entries_total",
    help: "Stale connection tracking entries that were deleted",
    ...FAMILY,
  });
  return {
    ...together([]),
    flushed(family, report) {
      duration.observe({ ip_family: family }, report.elapsed / 1000);
      deleted.inc({ ip_family: family }, report.deleted);
    },
  };
}

function observeLocality(group: Group): Observer {
  const gauge = makeGauge(group, {
    name: "sync_proxy_rules_no_local_endpoints_total",
    help: "Services with a Local traffic policy whose endpoints are all on other nodes",
    labelNames: ["ip_family", "traffic_policy"],
  });
  const set = (family: string, { internal, external }: PassReport["withoutLocalEndpoints"]) => {
    gauge.set({ ip_family: family, traffic_policy: "internal" }, internal);
    gauge.set({ ip_family: family, traffic_policy: "external" }, external);
  };
  return {
    ...together([]),
    passed(family, { failure, withoutLocalEndpoints }) {
      if (!failure) set(family, withoutLocalEndpoints);
    },
  };
}

function range(first: number, last: number, step: number): readonly number[] {
  return Array.from({ length: (last - first) / step + 1 }, (_, index) => first + index * step);
}
