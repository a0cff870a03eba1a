// Traces the packets of each packet case in each mode and compares the outcomes.

import type { Backend } from "../../backends/backend.ts";
import { InputError } from "../../errors.ts";
import type { World } from "../../model/world.ts";
import { familyOf } from "../../net/address.ts";
import type { Family } from "../../net/family.ts";
import type { CaseFile, CaseMode, PacketCase, WrittenValue } from "../../source/packet-cases.ts";
import { type Packet, printHostPort } from "../../trace/packet.ts";
import type { Field } from "../../trace/ruleset.ts";
import { orRefusal } from "../refusal.ts";
import { fieldIn, type TraceCluster, worldIn } from "../trace/cluster.ts";
import { sayOutcome, sayShare } from "../trace/describe.ts";
import { readSender, readTarget } from "../trace/from-to.ts";
import { type AskedPacket, findPackets } from "../trace/packets.ts";
import { reportOf } from "../trace/report.ts";
import { judgeEnds, staysFor } from "./check-outcomes.ts";

/** One case in one mode. */
export interface CaseResult {
  readonly file: string;
  readonly line: number;
  readonly name: string;
  /** With the layout, where it is not kube-proxy's: `iptables, Indexed`. */
  readonly mode: string;
  /** Why it failed; none: it passed. */
  readonly problems: readonly string[];
  /** Every end that was found, with its share. */
  readonly ends: readonly string[];
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
  readonly asked: AskedPacket;
}

/** Throws InputError, with file, line and field, where sender or target cannot be read. */
export function readyCase(file: string, each: PacketCase): ReadyCase {
  const placeOf = ({ line, field }: WrittenValue) => ({ source: `${file}:${line}`, field });
  const from = readSender(each.from.text, placeOf(each.from));
  const to = readTarget(each.to.text, placeOf(each.to));
  const [first] = each.expected.kind === "reaches" ? each.expected.endpoints : [];
  const family = first === undefined ? undefined : familyOf(first.slice(0, first.lastIndexOf(":")));
  return { ...each, asked: { from, to, via: each.via, inInterface: each.in, family } };
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
  const grounds = new Map([...backends].map(([mode, backend]) => [mode, groundsOf(file.cluster, backend)]));
  for (const each of file.cases) {
    for (const [mode, ground] of grounds) {
      const modes = each.modes ?? file.modes ?? [...backends.keys()];
      if (modes.includes(mode)) yield runCase(each, { file, mode, ground });
    }
  }
}

/** What packets of a family walk over. */
interface Ground {
  readonly world: World;
  readonly field: Field;
}

type Grounds = (family: Family) => Ground;

function groundsOf(cluster: TraceCluster, backend: Backend): Grounds {
  const known = new Map<Family, Ground>();
  return (family) => {
    const before = known.get(family);
    if (before) return before;
    const world = worldIn(cluster, backend.mode, family);
    const ground = { world, field: fieldIn(cluster, backend, world) };
    known.set(family, ground);
    return ground;
  };
}

interface Setting {
  readonly file: TestedFile;
  readonly mode: CaseMode;
  readonly ground: Grounds;
}

const PLACES = { from: { field: "from" }, to: { field: "to" } };

/**
 * What is not among the manifests any more makes a case fail: they are what is tested. A case holds if it holds for each
 * packet, that is for each external address of a Service.
 */
function runCase(each: ReadyCase, setting: Setting): CaseResult {
  const { file } = setting;
  const result = { file: file.path, line: each.line, name: each.name, mode: sayMode(setting) };
  const found = orRefusal(() => findPackets(each.asked, file.cluster, PLACES));
  if (found instanceof InputError) return { ...result, problems: [found.message], ends: [], warnings: [] };
  const { packets, warnings } = found;
  if ("kind" in packets) {
    const words = `not reachable from outside: ${packets.reason}`;
    return { ...result, warnings, problems: each.expected.kind === "unreachable" ? [] : [words], ends: [words] };
  }
  const judged = packets.map((packet) => {
    const { problems, ends } = judge(each, packet, setting);
    const address = packets.length > 1 ? `to ${printHostPort(packet.destination, packet.destinationPort)}: ` : "";
    return { problems: problems.map((text) => address + text), ends: ends.map((text) => address + text) };
  });
  return {
    ...result,
    warnings,
    problems: judged.flatMap(({ problems }) => problems),
    ends: judged.flatMap(({ ends }) => ends),
  };
}

function sayMode({ mode, file }: Setting): string {
  return mode === "iptables" && file.cluster.options.iptablesLayout === "Indexed" ? `${mode}, Indexed` : mode;
}

function judge({ expected }: ReadyCase, packet: Packet, { file: { cluster }, mode, ground }: Setting) {
  const { world, field } = ground(packet.family);
  const report = reportOf({ packet, field, world, cluster, mode });
  const { trace } = report;
  const walked = {
    report,
    stays: (end: (typeof trace.ends)[number]) => staysFor(field, trace, end),
    nodeAddresses: new Set(cluster.facts.addresses.map(({ address }) => address)),
  };
  return {
    problems: judgeEnds(expected, walked),
    ends: trace.ends.map((end) => `${sayShare(end)} ${sayOutcome(end, report)}`),
  };
}
