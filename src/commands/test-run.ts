// Do packets end as the cases of a file say?
import type { Backend } from "../backends/backend.ts";
import { InputError } from "../errors.ts";
import type { World } from "../model/world.ts";
import { familyOf } from "../net/address.ts";
import type { Family } from "../net/family.ts";
import type { CaseFile, CaseMode, PacketCase, WrittenValue } from "../source/packet-cases.ts";
import type { Field } from "../trace/field.ts";
import { orRefusal } from "./refusal.ts";
import { staysFor } from "./test-affinity.ts";
import { judgeEnds } from "./test-judge.ts";
import { reportOf } from "./trace.ts";
import { fieldIn, type TraceCluster, worldIn } from "./trace-cluster.ts";
import { type AskedPacket, type FoundPacket, findPacket } from "./trace-packet.ts";
import { readSender, readTarget } from "./trace-places.ts";
import { sayOutcome, sayShare } from "./trace-words.ts";

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
  return { ...each, asked: { from, to, inInterface: each.in, family } };
}

export interface TestedFile {
  readonly path: string;
  readonly modes: CaseFile["modes"];
  readonly cases: readonly ReadyCase[];
  readonly cluster: TraceCluster;
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

/** What is not among the manifests any more makes a case fail: they are what is tested. */
function runCase(each: ReadyCase, setting: Setting): CaseResult {
  const { file } = setting;
  const result = { file: file.path, line: each.line, name: each.name, mode: sayMode(setting) };
  const found = orRefusal(() => findPacket(each.asked, file.cluster, PLACES));
  if (found instanceof InputError) return { ...result, problems: [found.message], ends: [], warnings: [] };
  return { ...result, warnings: found.warnings, ...judge(each, found, setting) };
}

function sayMode({ mode, file }: Setting): string {
  return mode === "iptables" && file.cluster.options.iptablesLayout === "Indexed" ? `${mode}, Indexed` : mode;
}

function judge({ expected }: ReadyCase, { packet }: FoundPacket, { file: { cluster }, mode, ground }: Setting) {
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
