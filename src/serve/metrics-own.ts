// Metrics of fairlead that kube-proxy does not have, under the prefix `fairlead_`.
import type { Family } from "../net/family.ts";
import { type Observer, together } from "../sync/observer.ts";
import { type Group, makeCounter, makeGauge } from "./metrics-makers.ts";
import { quarantinedIn } from "./quarantine.ts";

/** Time series of named ServicePorts for each IP family. */
const MAX_NAMED = 100;

const FAMILY = { labelNames: ["ip_family"] } as const;

/** The mode that runs, which need not be the one that was asked for, and then why. */
export function tellMode(group: Group, mode: string, fallback?: string): void {
  const gauge = makeGauge(group, {
    name: "mode",
    help: "A constant 1 with the mode that runs, after any fall-back",
    labelNames: ["mode"],
  });
  gauge.set({ mode }, 1);
  if (fallback === undefined) return;
  const reason = makeGauge(group, {
    name: "mode_fallback",
    help: "A constant 1 with what the kernel lacks for the mode that was asked for",
    labelNames: ["reason"],
  });
  reason.set({ reason: fallback }, 1);
}

/** Counts manifests that cannot be read; shown from the first count on, which only a daemon with manifests has. */
export function countUnreadableManifests(group: Group): (count: number) => void {
  let gauge: ReturnType<typeof makeGauge> | undefined;
  return (count) => {
    gauge ??= makeGauge(group, {
      name: "unreadable_manifests",
      help: "Paths, files and documents of --manifests that cannot be read now and whose last state is kept",
    });
    gauge.set(count);
  };
}

/** Takes the state of each watch of the API server. Neither throws nor waits. */
export interface WatchMetrics {
  connected(resource: string, isConnected: boolean): void;
  /** An event or a bookmark arrived. */
  heard(resource: string): void;
  /** A list was read to its end. */
  listed(resource: string): void;
}

/** Shown from the first use on, which only a daemon with an API server has. `now`: milliseconds since 1970. */
export function observeWatches(group: Group, now: () => number): WatchMetrics {
  let made: WatchMetrics | undefined;
  const metrics = () => {
    made ??= makeWatchMetrics(group, now);
    return made;
  };
  return {
    connected: (resource, isConnected) => metrics().connected(resource, isConnected),
    heard: (resource) => metrics().heard(resource),
    listed: (resource) => metrics().listed(resource),
  };
}

function makeWatchMetrics(group: Group, now: () => number): WatchMetrics {
  const labelNames = ["resource"] as const;
  const [events, lists] = [new Map<string, number>(), new Map<string, number>()];
  const connected = makeGauge(group, {
    name: "watch_connected",
    help: "1 while the watch of a resource at the API server is connected and its objects are complete, else 0",
    labelNames,
  });
  const timestamps = (name: string, help: string, times: ReadonlyMap<string, number>) => {
    const gauge = makeGauge(group, {
      name,
      help,
      labelNames,
      collect: () => {
        for (const [resource, time] of times) gauge.set({ resource }, time / 1000);
      },
    });
  };
  timestamps("watch_last_event_timestamp_seconds", "Unix time of the last event or bookmark of a watch", events);
  timestamps("watch_last_list_timestamp_seconds", "Unix time of the last complete list of a resource", lists);
  const age = makeGauge(group, {
    name: "objects_age_seconds",
    help: "Seconds since the API server last confirmed the objects by an event, a bookmark or a complete list",
    labelNames,
    collect: () => {
      const time = now();
      for (const resource of new Set([...events.keys(), ...lists.keys()])) {
        const confirmed = Math.max(events.get(resource) ?? 0, lists.get(resource) ?? 0);
        age.set({ resource }, (time - confirmed) / 1000);
      }
    },
  });
  return {
    connected: (resource, isConnected) => connected.set({ resource }, isConnected ? 1 : 0),
    heard: (resource) => events.set(resource, now()),
    listed: (resource) => lists.set(resource, now()),
  };
}

/** Passes and their failures, what is set aside, what others changed, and how far a long pass is. */
export function observeOwn(group: Group): Observer {
  return together([countPasses(group), observeRefusals(group), observeUnreadable(group), observeProgress(group)]);
}

function countPasses(group: Group): Observer {
  const passes = makeCounter(group, {
    name: "passes_total",
    help: "Passes by what they looked at: all rules, or what had changed",
    labelNames: ["ip_family", "scope"],
  });
  const failures = makeCounter(group, {
    name: "pass_failures_total",
    help: "Passes that did not bring the kernel to what is wanted, by the step that was refused and its code",
    labelNames: ["code", "ip_family", "step"],
  });
  return {
    ...together([]),
    passed(family, { scope, failure }) {
      passes.inc({ ip_family: family, scope });
      if (failure) failures.inc({ code: failure.code, ip_family: family, step: failure.step });
    },
  };
}

function observeRefusals(group: Group): Observer {
  const named = new Map<Family, readonly string[]>();
  const quarantined = makeGauge(group, {
    name: "quarantined_service_ports",
    help: "ServicePorts that are quarantined because the kernel rejects their rules",
    ...FAMILY,
  });
  const each = makeGauge(group, {
    name: "quarantined_service_port",
    help: `A constant 1 for each quarantined ServicePort, of each IP family the first ${MAX_NAMED}`,
    labelNames: ["ip_family", "service_port"],
    collect: () => {
      each.reset();
      for (const [family, names] of named)
        for (const name of names) each.set({ ip_family: family, service_port: name }, 1);
    },
  });
  const items = makeGauge(group, {
    name: "rejected_items",
    help: "Virtual servers, real servers, ipset entries and addresses that are skipped because the kernel rejects them",
    ...FAMILY,
  });
  const drifted = makeCounter(group, {
    name: "drifted_lines_total",
    help: "Lines of ours that somebody else had changed and that were put right",
    ...FAMILY,
  });
  return {
    ...together([]),
    passed(family, report) {
      const names = [...quarantinedIn(report.setAside).keys()];
      named.set(family, names.slice(0, MAX_NAMED));
      quarantined.set({ ip_family: family }, names.length);
      items.set({ ip_family: family }, report.setAside.filter(({ item }) => item !== undefined).length);
      drifted.inc({ ip_family: family }, report.driftedLines);
    },
  };
}

/** Shown from the first such table on, which few nodes ever have. */
function observeUnreadable(group: Group): Observer {
  const unreadable = new Map<Family, readonly string[]>();
  let gauge: ReturnType<typeof makeGauge> | undefined;
  return {
    ...together([]),
    passed(family, { unreadableTables = {} }) {
      unreadable.set(family, Object.keys(unreadableTables));
      const all = [...unreadable].flatMap(([ip_family, tables]) => tables.map((table) => ({ ip_family, table })));
      if (all.length > 0) {
        gauge ??= makeGauge(group, {
          name: "unreadable_tables",
          help: "A constant 1 for each table that iptables cannot read; its rules are written without comparing them",
          labelNames: ["ip_family", "table"],
        });
      }
      gauge?.reset();
      for (const labels of all) gauge?.set(labels, 1);
    },
  };
}

function observeProgress(group: Group): Observer {
  const all = makeGauge(group, { name: "pass_steps", help: "Steps of the last pass that had any", ...FAMILY });
  const done = makeGauge(group, { name: "pass_steps_done", help: "Steps of that pass that are done", ...FAMILY });
  const rules = makeGauge(group, { name: "pass_rules_sent", help: "Rules of that pass that are sent", ...FAMILY });
  return {
    ...together([]),
    progressed(family, progress) {
      all.set({ ip_family: family }, progress.of);
      done.set({ ip_family: family }, progress.done);
      rules.set({ ip_family: family }, progress.rules);
    },
  };
}
