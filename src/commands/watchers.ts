// Connects the sync loops of a node proxy with metrics, health answers, Events and debugging pages.
import { readFileSync } from "node:fs";
import type { Node } from "../api/objects.ts";
import { nodeIPsOf } from "../model/node-ips.ts";
import { nodePortAddressesOf, nodePortRangesOf } from "../model/node-port-addresses.ts";
import type { Family } from "../net/family.ts";
import { flagValues } from "../options/flag-values.ts";
import type { GivenFlags } from "../options/flags.ts";
import type { Options } from "../options/options.ts";
import { configDocument } from "../options/print.ts";
import type { Config } from "../options/table.ts";
import type { Interruptions } from "../serve/health.ts";
import type { Metrics } from "../serve/metrics.ts";
import { startServers } from "../serve/servers.ts";
import type { EventRecorder } from "../source/events.ts";
import type { NodeFacts } from "../state/node-facts.ts";
import type { Logs } from "../sync/log.ts";
import { microsecondClock } from "../sync/microsecond-clock.ts";
import { type Observer, together } from "../sync/observer.ts";
import { systemClock } from "../sync/schedule.ts";
import type { Verbosity } from "../sync/verbosity.ts";
import type { ChosenMode } from "./mode.ts";
import { reportedVersion } from "./version.ts";

export interface WatchersInput {
  readonly given: GivenFlags;
  readonly config: Config;
  readonly options: Options;
  readonly mode: string;
  readonly fallback?: ChosenMode["fallback"];
  readonly layoutFallback?: string;
  readonly nodeName: string;
  readonly facts: NodeFacts;
  readonly metrics: Metrics;
  readonly events: EventRecorder;
  readonly logs: Logs;
  readonly verbosity: Verbosity;
  readonly interruptions: Interruptions;
}

export interface Watchers {
  /** Gives what is to be told what the loops do. To be called once, with the Node as it is at start. */
  begin(node: Node | undefined): Observer;
  /** To be told of each Node object of this node. */
  readonly sawNode: (node: Node) => void;
  close(): Promise<void>;
}

/** Metrics, health, health-check nodePorts and pages. Rejects where a server must listen at once and cannot. */
export async function startWatchers(input: WatchersInput): Promise<Watchers> {
  const { given, config, events, metrics, logs, verbosity, fallback, ...rest } = input;
  const servers = await startServers({
    ...rest,
    ...(input.mode === "iptables" && { layout: input.options.iptablesLayout }),
    ...(fallback && { fallback: `${fallback.words} (${fallback.part})` }),
    metrics,
    configuration: configDocument(config),
    flags: flagValues(given),
    version: reportedVersion(given),
    clock: systemClock,
    now: microsecondClock(),
    log: logs,
    warn: (warning) => events.record({ type: "Warning", ...warning }),
    maxOpenFiles: maxOpenFiles(),
    setVerbosity: (level) => verbosity.set(level),
  });
  const begin = (node: Node | undefined) => {
    if (node) servers.sawNode(node);
    return together([metrics.observer, servers.begin(checkedAddresses(input, node))]);
  };
  return { begin, sawNode: servers.sawNode, close: () => servers.close() };
}

/** Where health-check nodePorts answer: kube-proxy looks for these addresses once, at start. */
function checkedAddresses(
  { options, facts }: WatchersInput,
  node: Node | undefined,
): ReadonlyMap<Family, "all" | readonly string[]> {
  const nodeIPs = nodeIPsOf(node?.addresses ?? [], options.bindAddress);
  return new Map(
    facts.families.map((family) => {
      const ranges = nodePortRangesOf(options.nodePortAddresses, nodeIPs, family);
      return [family, nodePortAddressesOf(facts.addresses, ranges, true)];
    }),
  );
}

/** RLIMIT_NOFILE; Node raises the soft limit to the hard one at start. */
function maxOpenFiles(): number {
  return Number(/^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1] ?? 1024);
}
