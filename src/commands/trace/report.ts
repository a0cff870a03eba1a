// Traces a packet and adds what the text, JSON and picture of a trace show.

import type { Backend } from "../../backends/backend.ts";
import type { World } from "../../model/world.ts";
import { hostPort } from "../../net/address.ts";
import type { Options } from "../../options/options.ts";
import { isIndexChain } from "../../state/index-chain-name.ts";
import { TABLES, type TableName } from "../../state/kernel-state.ts";
import { targetOf } from "../../state/rule.ts";
import { localAddressesOf } from "../../trace/local-addresses.ts";
import type { Packet } from "../../trace/packet.ts";
import { type Fraction, plus } from "../../trace/probability.ts";
import type { Ruleset } from "../../trace/ruleset.ts";
import type { Outcome, RuleLocation, ServerLocation, Step, Trace } from "../../trace/trace.ts";
import { walk } from "../../trace/walk/hooks.ts";
import { podAt, type TraceCluster } from "./cluster.ts";
import { type FoundService, findService } from "./service.ts";

/** Traces the packet and collects what is printed about it. */
export function reportOf(walked: {
  readonly packet: Packet;
  readonly ruleset: Ruleset;
  readonly world: World;
  readonly cluster: TraceCluster;
  readonly mode: TraceReport["mode"];
}): TraceReport {
  const { packet, ruleset, world, cluster, mode } = walked;
  const { isLocal } = localAddressesOf(ruleset);
  return {
    trace: walk(ruleset, packet),
    mode,
    tables: TABLES.filter((table) => ruleset.tables.has(table)),
    layout: mode === "iptables" ? cluster.options.iptablesLayout : undefined,
    nodeName: cluster.nodeName,
    service: findService(world, packet, (address) => isLocal(address) ?? false),
    podAt: (address) => podAt(cluster.objects, address),
  };
}

export interface TraceReport {
  readonly trace: Trace;
  /** `dump`: rules read with --rules, of any mode. */
  readonly mode: Backend["mode"] | "dump";
  /** The tables of a dump that were read. */
  readonly tables: readonly TableName[];
  /** Of iptables mode. */
  readonly layout: Options["iptablesLayout"] | undefined;
  /** Empty: none is known. */
  readonly nodeName: string;
  /** Undefined if no known Service has the destination address and port. */
  readonly service: FoundService | undefined;
  /** `namespace/name` of the Pod that has an address, where that is known. */
  readonly podAt: (address: string) => string | undefined;
}

/** What one rule or virtual server did to packets that reached it on different paths. */
export interface StepGroup {
  readonly at: RuleLocation | ServerLocation;
  readonly what: string;
  readonly probability: Fraction;
}

/** Merges consecutive steps of the same rule and effect, in order. */
export function groupSteps(steps: readonly Step[]): readonly StepGroup[] {
  const groups: StepGroup[] = [];
  let here = new Map<string, number>();
  let place = "";
  for (const step of steps) {
    if (place !== locationKey(step.at)) here = new Map();
    place = locationKey(step.at);
    const index = here.get(step.what) ?? groups.length;
    const other = groups[index];
    here.set(step.what, index);
    groups[index] = { ...step, probability: other ? plus(other.probability, step.probability) : step.probability };
  }
  return groups;
}

/**
 * Groups consecutive steps that descend the dispatch tree of the Indexed layout; every other step is a group of its
 * own.
 */
export function groupDispatch(steps: readonly StepGroup[]): readonly (readonly [StepGroup, ...StepGroup[]])[] {
  const groups: [StepGroup, ...StepGroup[]][] = [];
  for (const group of steps) {
    const last = groups.at(-1);
    const above = last && dispatchChainOf(last.at(-1));
    const goesOn = above !== undefined && "rule" in group.at && group.at.chain === above && dispatchChainOf(group);
    if (last && goesOn) last.push(group);
    else groups.push([group]);
  }
  return groups;
}

/** The dispatch chain of the Indexed layout that a rule jumps to. */
function dispatchChainOf(group: StepGroup | undefined): string | undefined {
  const target = group && "rule" in group.at ? targetOf(group.at.rule.line) : undefined;
  return target !== undefined && isIndexChain(target) ? target : undefined;
}

function locationKey(at: RuleLocation | ServerLocation): string {
  return `${hookAndTable(at)} ${printLocation(at)}`;
}

/** Hook and table, or hook and `ipvs`. */
export function hookAndTable(at: RuleLocation | ServerLocation): string {
  return `${at.hook}, ${"rule" in at ? at.table : "ipvs"}`;
}

/** A rule by chain and number, a virtual server by its address. */
export function printLocation(at: RuleLocation | ServerLocation): string {
  if ("rule" in at) return `${at.chain} ${at.number}`;
  const { address, port, protocol } = at.server;
  return `${hostPort(address, port)}/${protocol}`;
}

/** Ends that differ in nothing but where they are. */
export function groupOutcomes(
  outcomes: readonly Outcome[],
  sayRest: (outcome: Outcome) => readonly string[],
): readonly (readonly Outcome[])[] {
  const groups = new Map<string, Outcome[]>();
  for (const outcome of outcomes) {
    const key = JSON.stringify([outcome.verdict.kind, outcome.possible, ...sayRest(outcome)]);
    const group = groups.get(key);
    if (group) group.push(outcome);
    else groups.set(key, [outcome]);
  }
  return [...groups.values()];
}
