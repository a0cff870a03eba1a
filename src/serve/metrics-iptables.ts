// What do the metrics of kube-proxy say of iptables: of restores, of rules, of full and partial passes?
import type { Family } from "../net/family.ts";
import { type ByTable, type Observer, together } from "../sync/observer.ts";
import { type Group, makeCounter, makeGauge, makeHistogram } from "./metrics-makers.ts";
import { PASS_BUCKETS } from "./metrics-sync.ts";

const FAMILY = { labelNames: ["ip_family"] } as const;
const TABLE = { labelNames: ["ip_family", "table"] } as const;

/** Restores that failed, in both modes that use them. */
export function observeRestores(group: Group): Observer {
  const failures = makeCounter(group, {
    name: "sync_proxy_rules_iptables_restore_failures_total",
    help: "Calls of iptables-restore that failed; the search for a culprit makes several",
    ...FAMILY,
  });
  return {
    ...together([]),
    passed(family, { refusedRestores }) {
      if (refusedRestores > 0) failures.inc({ ip_family: family }, refusedRestores);
    },
  };
}

/** What only iptables mode tells. */
export function observeIptables(group: Group): Observer {
  return together([observeScopes(group), observeRules(group)]);
}

function observeScopes(group: Group): Observer {
  const full = makeHistogram(group, {
    name: "sync_full_proxy_rules_duration_seconds",
    help: "Seconds that a pass took which compared all rules",
    buckets: PASS_BUCKETS,
    ...FAMILY,
  });
  const partial = makeHistogram(group, {
    name: "sync_partial_proxy_rules_duration_seconds",
    help: "Seconds that a pass took which only looked at what had changed",
    buckets: PASS_BUCKETS,
    ...FAMILY,
  });
  const partialFailures = makeCounter(group, {
    name: "sync_proxy_rules_iptables_partial_restore_failures_total",
    help: "Passes over what had changed that did not succeed at once",
    ...FAMILY,
  });
  return {
    ...together([]),
    passed(family, { scope, elapsed, failure, refusedRestores }) {
      (scope === "full" ? full : partial).observe({ ip_family: family }, elapsed / 1000);
      if (scope === "partial" && (failure || refusedRestores > 0)) partialFailures.inc({ ip_family: family });
    },
  };
}

function observeRules(group: Group): Observer {
  // To count takes long in a large cluster, so it is done when somebody asks, and once for a pass.
  const uncounted = new Map<Family, () => ByTable>();
  const owned = makeGauge(group, {
    name: "sync_proxy_rules_iptables_total",
    help: "Rules that are ours",
    collect: () => {
      for (const [family, count] of uncounted) setTables(owned, family, count());
      uncounted.clear();
    },
    ...TABLE,
  });
  const sent = makeGauge(group, {
    name: "sync_proxy_rules_iptables_last",
    help: "Rules that were written in the last pass",
    ...TABLE,
  });
  return {
    ...together([]),
    passed(family, report) {
      uncounted.set(family, report.owned);
      setTables(sent, family, report.sent);
    },
  };
}

type TableGauge = ReturnType<typeof makeGauge<"ip_family" | "table">>;

function setTables(gauge: TableGauge, family: Family, { filter, nat }: ByTable): void {
  gauge.set({ ip_family: family, table: "filter" }, filter);
  gauge.set({ ip_family: family, table: "nat" }, nat);
}
