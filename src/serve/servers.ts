// Starts and stops all HTTP servers of the daemon: health, metrics, and the health-check node ports of Services.

import { InputError } from "../errors.ts";
import { parseAddress } from "../net/address.ts";
import { splitHostPort } from "../options/host-port.ts";
import type { Options } from "../options/options.ts";
import type { Log } from "../sync/log.ts";
import { type Observer, together } from "../sync/observer.ts";
import type { Clock } from "../sync/schedule.ts";
import { type Answer, type Answerer, byPath } from "./answer.ts";
import { Binding } from "./binding.ts";
import { Health, type Interruptions, type NodeStanding } from "./health.ts";
import { Connections, type ListenInput, listen, type Place } from "./http-server.ts";
import type { Metrics } from "./metrics.ts";
import type { HealthPath } from "./metrics-health.ts";
import { Profiler } from "./profiler.ts";
import { observeQuarantine } from "./quarantine.ts";
import { type RulesInput, RulesPage } from "./rules-page.ts";
import { type ServiceHealthInput, ServiceHealthServers } from "./service-health.ts";
import { type StatusInput, statusPages } from "./status.ts";
import type { Warning } from "./warning.ts";

type ServerOptions = Pick<
  Options,
  "healthzBindAddress" | "metricsBindAddress" | "bindAddressHardFail" | "enableProfiling" | "served" | "syncPeriod"
>;

type Known = RulesInput & Pick<StatusInput, "configuration" | "flags" | "version">;

export interface ServersInput extends Known {
  readonly options: ServerOptions;
  readonly metrics: Pick<Metrics, "answered" | "render" | "checks">;
  readonly clock: Clock;
  readonly log: (at: string) => Log;
  /** Takes what the cluster's Events shall say. */
  readonly warn: (warning: Warning) => void;
  /** RLIMIT_NOFILE of this process. */
  readonly maxOpenFiles: number;
  readonly setVerbosity: (level: number) => void;
  readonly interruptions?: Interruptions;
}

export interface Servers {
  /**
   * Serves the health-check node ports of Services too, at these addresses. Gives what is to be told what the loops do.
   * To be called once, when the node is known.
   */
  begin(nodePortAddresses: ServiceHealthInput["nodePortAddresses"]): Observer;
  /** To be told of each Node object of this node, the first one too. */
  readonly sawNode: (node: NodeStanding) => void;
  /** Resolves when nothing listens and every connection is closed. */
  close(): Promise<void>;
}

/**
 * Starts the health server, unless it is switched off, and the metrics server; those of Services come with the passes.
 * A server that cannot listen is tried again for ever; with `bindAddressHardFail` this rejects with the system's error
 * after the warning, and nothing listens. Rejects with InputError for an address that is none.
 */
export async function startServers(input: ServersInput): Promise<Servers> {
  const { options, clock, now, metrics, warn } = input;
  const rules = new RulesPage(input);
  const { interruptions } = input;
  const health = new Health({ clock, now, timeout: 2 * options.syncPeriod, ...(interruptions && { interruptions }) });
  // Where nobody can ask for the proxy's health, load balancers are not told that it is ill.
  const healthy = () => options.healthzBindAddress === "" || health.healthy();
  const connections = new Connections(input);
  let services: ServiceHealthServers | undefined;
  const status = statusPages({ ...input, profiler: new Profiler(), started: now(), rules: rules.answer });
  const bindings: Binding[] = [];
  const close = async () => {
    await Promise.all([services?.close(), ...bindings.map((binding) => binding.close())]);
  };
  try {
    await start(input, bindings, {
      ...HEALTH,
      address: options.healthzBindAddress,
      answer: healthPages(health, metrics),
      connections,
      keepAlive: false,
    });
    await start(input, bindings, {
      ...METRICS,
      address: options.metricsBindAddress,
      answer: status,
      connections,
      keepAlive: true,
    });
  } catch (error) {
    await close();
    throw error;
  }
  const quarantine = observeQuarantine({ ...input, log: input.log("quarantine.ts") });
  const begin = (nodePortAddresses: ServiceHealthInput["nodePortAddresses"]) => {
    const log = input.log("service-health.ts");
    services = new ServiceHealthServers({ ...input, nodePortAddresses, healthy, connections, log, warn });
    return together([health.observer, services.observer, rules.observer, quarantine]);
  };
  return { begin, sawNode: (node) => health.sawNode(node), close };
}

interface Named {
  readonly name: string;
  readonly reason: Warning["reason"];
}

interface Served extends Pick<ListenInput, "answer" | "connections" | "keepAlive"> {
  readonly address: string;
}

const HEALTH: Named = { name: "health server", reason: "FailedToStartProxierHealthcheck" };
const METRICS: Named = { name: "metrics server", reason: "FailedToStartMetricServer" };

/** An empty address switches a server off. */
async function start(
  { options, clock, log: logOf, warn }: ServersInput,
  bindings: Binding[],
  { name, reason, address, ...served }: Named & Served,
): Promise<void> {
  if (address === "") return;
  const place = placeOf(address);
  const log = logOf("servers.ts");
  let first: unknown;
  const binding = new Binding({
    clock,
    open: async () => {
      const listening = await listen({ ...served, place, log });
      log.info({ address }, `Started ${name}`);
      return listening;
    },
    refused: (error) => {
      first = error;
      log.error({ address, err: String(error) }, `Cannot start ${name}`);
    },
  });
  bindings.push(binding);
  if ((await binding.start()) || !options.bindAddressHardFail) return;
  warn({ reason, action: "StartKubeProxy", note: `cannot start ${name} at ${address}: ${first}` });
  throw first;
}

/** The wildcard of either family stands for both. */
function placeOf(address: string): Place {
  const split = splitHostPort(address);
  const host = "wrong" in split ? undefined : parseAddress(split.host);
  if ("wrong" in split || host === undefined) throw new InputError({}, `cannot listen at ${JSON.stringify(address)}`);
  return { host: ["0.0.0.0", "::"].includes(host.text) ? "everywhere" : host.text, port: Number(split.port) };
}

function healthPages(health: Health, { answered }: ServersInput["metrics"]): Answerer {
  const counted = (path: HealthPath, answer: Answer) => {
    answered(path, answer.status);
    return answer;
  };
  return byPath(
    new Map([
      ["/healthz", () => counted("/healthz", health.healthz())],
      ["/livez", () => counted("/livez", health.livez())],
    ]),
  );
}
