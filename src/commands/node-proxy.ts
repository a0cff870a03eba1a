// Starts the node proxy on this machine and runs it until it is stopped.
import { hostname } from "node:os";
import { KernelError } from "../errors.ts";
import { type RunCommand, stoppableCommands } from "../kernel/command.ts";
import { readCounter } from "../kernel/nfacct.ts";
import { setOomScore } from "../kernel/oom-score.ts";
import { nodeIPsOf } from "../model/node-ips.ts";
import type { Family } from "../net/family.ts";
import { nodeNameOf } from "../options/complete.ts";
import { flagValue } from "../options/flags.ts";
import type { Options } from "../options/options.ts";
import type { Config } from "../options/table.ts";
import { Interruptions } from "../serve/health.ts";
import { createMetrics } from "../serve/metrics.ts";
import type { Batch } from "../source/source.ts";
import { type NodeFacts, variantOf } from "../state/node-facts.ts";
import { setConntrack } from "../sync/conntrack-settings.ts";
import type { Log, Logs } from "../sync/log.ts";
import { together } from "../sync/observer.ts";
import { systemClock } from "../sync/schedule.ts";
import type { Verbosity } from "../sync/verbosity.ts";
import { openBackend } from "./backend.ts";
import { watchConfig } from "./config-watch.ts";
import { type ConfigFile, checkPeriods, checkSupported } from "./configuration.ts";
import { readFactsFile } from "./facts-file.ts";
import { FatalError } from "./failure.ts";
import { cleanForeign } from "./host-cleanup.ts";
import { setIpvsTimeouts } from "./ipvs-timeouts.ts";
import { type ChosenLayout, chooseLayout } from "./layout.ts";
import { leaveIpvs } from "./leave-ipvs.ts";
import { type Machine, openMachine } from "./machine.ts";
import { type ChosenMode, chooseMode } from "./mode.ts";
import { recordMode } from "./mode-events.ts";
import { checkNode } from "./node-check.ts";
import { type FoundNode, waitForNode } from "./node-wait.ts";
import { watchNode } from "./node-watch.ts";
import { type Objects, openObjects } from "./objects.ts";
import { setOwnSysctls } from "./own-sysctls.ts";
import { report, run } from "./run.ts";
import type { DaemonFlags } from "./run-arguments.ts";
import { listenForSignals } from "./shutdown.ts";
import { reportedVersion } from "./version.ts";
import { startWatchers, type Watchers } from "./watchers.ts";

export interface NodeProxyInput extends DaemonFlags {
  readonly options: Options;
  /** As it was read, nothing worked out of it yet. */
  readonly config: Config;
  /** The configuration file, if there is one. */
  readonly file: ConfigFile | undefined;
  readonly logs: Logs;
  readonly verbosity: Verbosity;
}

/**
 * Starts as kube-proxy does, step by step, and runs until it is told to stop. Rejects with InputError, KernelError or
 * FatalError when it cannot start or must not go on. Rules stay in place on every way out.
 */
export async function runNodeProxy(input: NodeProxyInput): Promise<void> {
  checkSupported(input.options);
  checkPeriods(input.options);
  const commands = stoppableCommands();
  const shutdown = listenForSignals(commands, input.logs("shutdown.ts"));
  const { stop } = shutdown;
  try {
    await serve(input, stop, commands.run);
  } catch (error) {
    // Follows from a tool that the shutdown ended, or that was not started any more.
    const expected = [KernelError, FatalError].some((kind) => error instanceof kind);
    if (!(shutdown.signalled && expected)) throw error;
    input.logs("node-proxy.ts").info({ err: String(error) }, "Start-up interrupted by a signal");
  } finally {
    stop.abort();
    shutdown.close();
  }
  if (stop.signal.reason instanceof FatalError) throw stop.signal.reason;
}

async function serve(input: NodeProxyInput, stop: AbortController, runTool: RunCommand): Promise<void> {
  const { given, manifests, logs } = input;
  const { signal } = stop;
  const log = logs("node-proxy.ts");
  const known = input.nodeFacts === undefined ? {} : await readFactsFile(input.nodeFacts);
  const nodeName = nodeNameOf(input.options.hostnameOverride, hostname());
  const machine = await openMachine(known, runTool);
  const { ipvsSupport, setTrouble } = machine;
  const chosenMode = await chooseMode({ options: input.options, config: input.config, ipvsSupport, log });
  if (signal.aborted) return;
  await cleanForeign(chosenMode.mode, { data: async () => {}, note: (reason) => log.debug(2, { reason }, "Clean-up") });
  const facts = await machine.kernel.facts();
  const layoutInput = { options: chosenMode.options, families: facts.families, setTrouble, log };
  const chosen = { ...chosenMode, ...(await chooseLayout(layoutInput)) };
  const { mode, options } = chosen;
  logTools(machine, facts, log);
  const metrics = createMetrics({
    mode,
    ...(chosen.fallback && { fallback: chosen.fallback.part }),
    families: facts.families,
    version: reportedVersion(given).replace(/^v/, ""),
    gates: options.gates,
    readCounter,
    complain: (reason) => log.error({ reason }, "Metrics"),
  });
  const { requests, pluginCalled, watches } = metrics;
  const [master, version] = [flagValue(given, "master"), reportedVersion(given)];
  const interruptions = new Interruptions(systemClock);
  const waiting = `waiting for Node ${JSON.stringify(nodeName)} and its addresses`;
  let isWaiting = true;
  const objects = await openObjects({
    manifests,
    options,
    master,
    nodeName,
    version,
    requests,
    pluginCalled,
    watches,
    signal,
    log,
    nodeFailed: (reason) => {
      if (isWaiting) interruptions.tell("Node", `${waiting}: ${reason}`);
    },
    sawManifests: (unreadable) => {
      metrics.unreadableManifests(unreadable.length);
      const reasons = unreadable.map(({ message }) => message).join("; ");
      interruptions.tell("manifests", reasons === "" ? undefined : `cannot read manifests: ${reasons}`);
    },
  });
  try {
    interruptions.tell("Node", waiting);
    // They answer while the Node cannot be read, which may last, and say so.
    const shared = { ...input, ...chosen, facts, metrics, nodeName, events: objects.events, interruptions };
    const watchers = flagValue(given, "init-only") ? undefined : await startWatchers(shared);
    try {
      const wait = {
        ...objects,
        nodeName,
        clock: systemClock,
        report: (batch: Batch) => report(batch, logs("run.ts")),
      };
      const { close, ...found } = await waitForNode(wait);
      isWaiting = false;
      interruptions.tell("Node", undefined);
      const proxying = proxy({ ...input, ...machine, ...found, ...chosen, facts, nodeName, objects, watchers, stop });
      await proxying.finally(() => {
        stop.abort();
        return close();
      });
    } finally {
      await watchers?.close();
    }
  } finally {
    await objects.close();
  }
}

/** Which iptables programs are run: a wrong choice shows as rules that other tools on the node do not see. */
function logTools({ tools }: Machine, facts: NodeFacts, log: Log): void {
  const of = (family: Family) => {
    const [program, path] = [tools.programs[family], tools.paths[family]];
    if (path === undefined) return `${program} is not on the PATH`;
    return facts.families.includes(family) ? `${path} (${variantOf(facts, family)})` : `${path} (not usable)`;
  };
  log.info({ iptables: of("IPv4"), ip6tables: of("IPv6"), reason: tools.reason }, "iptables programs");
}

interface ProxyInput extends NodeProxyInput, ChosenMode, ChosenLayout, Machine, Pick<FoundNode, "node" | "source"> {
  readonly facts: NodeFacts;
  readonly nodeName: string;
  readonly objects: Objects;
  /** Undefined: the privileged set-up alone is asked for. */
  readonly watchers: Watchers | undefined;
  readonly stop: AbortController;
}

/** From what is known of this node to the end. */
async function proxy(input: ProxyInput): Promise<void> {
  const { given, options, mode, file, logs, nodeName, node, source, facts, kernel, whyUnusable, stop } = input;
  const { objects, watchers } = input;
  const { events } = objects;
  const log = logs("node-proxy.ts");
  if (stop.signal.aborted) return;
  await setConntrack(kernel, options.conntrack, facts.cpus);
  await checkNode({ options, node, nodeName, whyUnusable, families: facts.families, log });
  const backend = await openBackend({ ...options, mode });
  const nodes = new Map(node ? [[nodeName, node]] : []);
  await setOwnSysctls({ kernel, backend, options, nodeName, facts, nodes });
  if (mode === "ipvs") await setIpvsTimeouts(options.ipvs, log);
  if (!watchers) return;
  log.info({ version: reportedVersion(given) }, "Version");
  // It takes a second try where the right is missing, as it is wherever least privilege rules; nothing waits for it.
  void setOwnScore(options.oomScoreAdj, log);
  const observer = watchers.begin(node);
  const leaving = await leaveOther(input, log);
  try {
    recordMode(input, events, log);
    events.record({ type: "Normal", reason: "Starting", action: "StartKubeProxy", note: "" });
    if (file) void followConfig(file, stop, log);
    const usesPodCIDRs = objects.needsPodCIDRs;
    const watched = watchNode({ source, nodeName, node, usesPodCIDRs, sawNode: watchers.sawNode, log });
    await run({
      source: watched,
      options,
      nodeName,
      backend,
      kernel,
      facts,
      clock: systemClock,
      log: logs,
      observer: together([observer, leaving.observer]),
    });
  } finally {
    await leaving.stop();
  }
}

/** What another mode or layout left beside rules goes under way; rules a pass replaces. */
function leaveOther({ mode, kernel, facts, node, options }: ProxyInput, log: Log) {
  const { ips } = nodeIPsOf(node?.addresses ?? [], options.bindAddress);
  return leaveIpvs({ kernel, families: facts.families, nodeIP: ips.IPv4, log, choice: { ...options, mode } });
}

/** kube-proxy does not end for it either: the score takes a right that a container may lack. */
async function setOwnScore(score: number, log: Log): Promise<void> {
  try {
    await setOomScore(score);
  } catch (error) {
    if (!(error instanceof KernelError)) throw error;
    log.debug(2, { err: error }, "The OOM score stays as it is");
  }
}

/** Ends the daemon when its configuration file says something else, or that cannot be seen. */
async function followConfig(file: ConfigFile, stop: AbortController, log: Log): Promise<void> {
  try {
    for await (const news of watchConfig(file, stop.signal)) {
      if (news === "updated") throw new FatalError("content of the proxy server's configuration file was updated");
      log.warn({ path: file.path }, "The configuration file was replaced; what it said holds until the next start");
    }
  } catch (error) {
    stop.abort(error);
  }
}
