// Traces the packets of each packet case in each mode and compares the outcomes.

import type { Backend } from "../../backends/backend.ts";
import { InputError } from "../../errors.ts";
import type { World } from "../../model/world.ts";
import { familyOf } from "../../net/address.ts";
import type { Family } from "../../net/family.ts";
import type { CaseFile, CaseMode, PacketCase, WrittenValue } from "../../source/packet-cases.ts";
import { type Packet, printHostPort } from "../../trace/packet.ts";
import type { Ruleset } from "../../trace/ruleset.ts";
import { orRefusal } from "../refusal.ts";
import { rulesetIn, type TraceCluster, worldIn } from "../trace/cluster.ts";
import { describeOutcome, describeProbability } from "../trace/describe.ts";
import { readSender, readTarget } from "../trace/from-to.ts";
import { findPackets, type PacketRequest } from "../trace/packets.ts";
import { reportOf } from "../trace/report.ts";
import { affinitySeconds, checkOutcomes } from "./check-outcomes.ts";

/** One case in one mode. */
export interface CaseResult {
  readonly file: string;
  readonly line: number;
  readonly name: string;
  /** With the layout, where it is not kube-proxy's: `iptables, Indexed`. */
  readonly mode: string;
  /** Why the case failed; empty if it passed. */
  readonly problems: readonly string[];
  /** Every outcome found, with its probability. */
  readonly outcomes: readonly string[];
  /** What may be a mistake in the case. */
  readonly warnings: readonly string[];
}

/** Why a case file, or manifests that go with it, could not be used. */
export interface UnusableInput {
  readonly path: string;
  readonly problems: readonly InputError[];
}

export interface TestResults {
  readonly results: readonly CaseResult[];
  readonly unusable: readonly UnusableInput[];
}

/** A case whose sender and target can be read. */
export interface ReadyCase extends PacketCase {
  readonly request: PacketRequest;
}

/** Throws InputError, with file, line and field, where sender or target cannot be read. */
export function readyCase(file: string, each: PacketCase): ReadyCase {
  const placeOf = ({ line, field }: WrittenValue) => ({ source: `${file}:${line}`, field });
  const from = readSender(each.from.text, placeOf(each.from));
  const to = readTarget(each.to.text, placeOf(each.to));
  const [first] = each.expected.kind === "reaches" ? each.expected.endpoints : [];
  const family = first === undefined ? undefined : familyOf(first.slice(0, first.lastIndexOf(":")));
  return { ...each, request: { from, to, via: each.via, inInterface: each.in, family } };
}

export interface TestedFile {
  readonly path: string;
  readonly modes: CaseFile["modes"];
  readonly cases: readonly ReadyCase[];
  readonly cluster: TraceCluster;
  /** Of objects that could not be read, where the cases are run with the others. */
  readonly problems: readonly InputError[];
}

/** Each case in each of its modes, in order. */
export function* runCases(file: TestedFile, backends: ReadonlyMap<CaseMode, Backend>): Iterable<CaseResult> {
  const grounds = new Map([...backends].map(([mode, backend]) => [mode, tracedWorldsOf(file.cluster, backend)]));
  for (const each of file.cases) {
    for (const [mode, tracedWorld] of grounds) {
      const modes = each.modes ?? file.modes ?? [...backends.keys()];
      if (modes.includes(mode)) yield runCase(each, { file, mode, tracedWorld });
    }
  }
}

/** What packets of a family walk over. */
interface TracedWorld {
  readonly world: World;
  readonly ruleset: Ruleset;
}

type TracedWorlds = (family: Family) => TracedWorld;

function tracedWorldsOf(cluster: TraceCluster, backend: Backend): TracedWorlds {
  const known = new Map<Family, TracedWorld>();
  return (family) => {
    const before = known.get(family);
    if (before) return before;
    const world = worldIn(cluster, backend.mode, family);
    const tracedWorld = { world, ruleset: rulesetIn(cluster, backend, world) };
    known.set(family, tracedWorld);
    return tracedWorld;
  };
}

interface CaseContext {
  readonly file: TestedFile;
  readonly mode: CaseMode;
  readonly tracedWorld: TracedWorlds;
}

const PLACES = { from: { field: "from" }, to: { field: "to" } };

/**
 * What is not among the manifests any more makes a case fail: they are what is tested. A case holds if it holds for each
 * packet, that is for each external address of a Service.
 */
function runCase(each: ReadyCase, setting: CaseContext): CaseResult {
  const { file } = setting;
  const result = { file: file.path, line: each.line, name: each.name, mode: describeMode(setting) };
  const found = orRefusal(() => findPackets(each.request, file.cluster, PLACES));
  if (found instanceof InputError) return { ...result, problems: [found.message], outcomes: [], warnings: [] };
  const { packets, warnings } = found;
  if ("kind" in packets) {
    const words = `not reachable from outside: ${packets.reason}`;
    return { ...result, warnings, problems: each.expected.kind === "unreachable" ? [] : [words], outcomes: [words] };
  }
  const checked = packets.map((packet) => {
    const { problems, outcomes } = checkPacket(each, packet, setting);
    const address = packets.length > 1 ? `to ${printHostPort(packet.destination, packet.destinationPort)}: ` : "";
    return { problems: problems.map((text) => address + text), outcomes: outcomes.map((text) => address + text) };
  });
  return {
    ...result,
    warnings,
    problems: checked.flatMap(({ problems }) => problems),
    outcomes: checked.flatMap(({ outcomes }) => outcomes),
  };
}

function describeMode({ mode, file }: CaseContext): string {
  return mode === "iptables" && file.cluster.options.iptablesLayout === "Indexed" ? `${mode}, Indexed` : mode;
}

function checkPacket({ expected }: ReadyCase, packet: Packet, { file: { cluster }, mode, tracedWorld }: CaseContext) {
  const { world, ruleset } = tracedWorld(packet.family);
  const report = reportOf({ packet, ruleset, world, cluster, mode });
  const { trace } = report;
  const traced = {
    report,
    affinitySeconds: (outcome: (typeof trace.outcomes)[number]) => affinitySeconds(ruleset, trace, outcome),
    nodeAddresses: new Set(cluster.facts.addresses.map(({ address }) => address)),
  };
  return {
    problems: checkOutcomes(expected, traced),
    outcomes: trace.outcomes.map((outcome) => `${describeProbability(outcome)} ${describeOutcome(outcome, report)}`),
  };
}
