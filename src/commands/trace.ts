// The trace command: follows a packet through the rules that manifests come to, or through those of a dump.
import { drawGraph } from "../draw/picture.ts";
import type { World } from "../model/world.ts";
import { TABLES } from "../state/kernel-state.ts";
import type { Field } from "../trace/field.ts";
import { localityOf } from "../trace/locality.ts";
import { walk } from "../trace/walk.ts";
import { openBackend } from "./backend.ts";
import { checkSupported } from "./configuration.ts";
import { printData } from "./data-text.ts";
import type { InputFlags } from "./inputs.ts";
import type { Output } from "./output.ts";
import { fieldIn, openTraceCluster, type TraceCluster, worldIn } from "./trace-cluster.ts";
import { traceData } from "./trace-data.ts";
import { fieldOfDumps, readDumps } from "./trace-dumps.ts";
import { traceGraph } from "./trace-graph.ts";
import { type FoundPacket, findPacket } from "./trace-packet.ts";
import { readSender, readTarget } from "./trace-places.ts";
import { podAt, podsIn } from "./trace-pods.ts";
import type { TraceReport } from "./trace-report.ts";
import { findService } from "./trace-service.ts";
import { printTrace } from "./trace-text.ts";

export const TRACE_FORMATS = ["text", "json", "mermaid", "svg"] as const;

export interface TraceFlags {
  readonly from: string;
  readonly to: string;
  readonly inInterface?: string | undefined;
  readonly outInterface?: string | undefined;
  /** Dumps; none: what the manifests come to. */
  readonly rules: readonly string[];
  readonly format: (typeof TRACE_FORMATS)[number];
  /** Colour is welcome. */
  readonly colour: boolean;
}

/**
 * Traces one packet. The answer is the exit code: 0 every outcome is known, 1 some outcome is unknown, 2 some input could
 * not be used. Rejects with InputError.
 */
export async function tracePaths(input: InputFlags, flags: TraceFlags, output: Output): Promise<0 | 1 | 2> {
  checkSupported(input.options, ["iptables", "ipvs"]);
  const places = { from: { source: "--from" }, to: { source: "--to" } };
  const [from, to] = [readSender(flags.from, places.from), readTarget(flags.to, places.to)];
  const cluster = await openTraceCluster(input, podsIn([from]));
  report(cluster, input, { output, isDump: flags.rules.length > 0 });
  const { inInterface, outInterface } = flags;
  const found = findPacket({ from, to, inInterface, outInterface }, cluster, places);
  for (const note of [...found.warnings, ...found.notes]) output.note(note);
  const told = await traceFound(found, cluster, { flags, output });
  await output.data(printReport(told, flags));
  if (cluster.problems.length > 0) return 2;
  return told.trace.ends.some(({ outcome }) => outcome.kind === "unknown") ? 1 : 0;
}

interface Means {
  readonly output: Output;
  /** The rules are not those that the objects come to. */
  readonly isDump: boolean;
}

function report(cluster: TraceCluster, { verbose }: InputFlags, { output, isDump }: Means): void {
  // A dump is of some node, whatever it is called.
  for (const note of isDump ? [] : cluster.notes) output.note(note);
  if (verbose) for (const passed of cluster.passedOver) output.note(passed);
  for (const problem of cluster.problems) output.note(`error: ${problem.message}`);
}

async function traceFound(
  { packet }: FoundPacket,
  cluster: TraceCluster,
  { flags, output }: { readonly flags: TraceFlags; readonly output: Output },
): Promise<TraceReport> {
  const mode = cluster.options.mode === "ipvs" ? "ipvs" : "iptables";
  const isDump = flags.rules.length > 0;
  const world = worldIn(cluster, mode, packet.family);
  const field = isDump
    ? await dumpField(flags.rules, packet, { cluster, output })
    : fieldIn(cluster, await openBackend(cluster.options), world);
  return reportOf({ packet, field, world, cluster, mode: isDump ? "dump" : mode });
}

/** Walks, and finds out what there is to say of it. */
export function reportOf(walked: {
  readonly packet: FoundPacket["packet"];
  readonly field: Field;
  readonly world: World;
  readonly cluster: TraceCluster;
  readonly mode: TraceReport["mode"];
}): TraceReport {
  const { packet, field, world, cluster, mode } = walked;
  const { isLocal } = localityOf(field);
  return {
    trace: walk(field, packet),
    mode,
    tables: TABLES.filter((table) => field.tables.has(table)),
    layout: mode === "iptables" ? cluster.options.iptablesLayout : undefined,
    nodeName: cluster.nodeName,
    service: findService(world, packet, (address) => isLocal(address) ?? false),
    podAt: (address) => podAt(cluster.objects, address),
  };
}

async function dumpField(
  paths: readonly string[],
  { family }: FoundPacket["packet"],
  { cluster, output }: { readonly cluster: TraceCluster; readonly output: Output },
): Promise<Field> {
  output.progress.show(() => "reading the dumps");
  const dumps = await readDumps(paths, family);
  return fieldOfDumps(dumps, family, cluster.addresses);
}

function printReport(told: TraceReport, { format, colour }: TraceFlags): Iterable<string> {
  switch (format) {
    case "text":
      return printTrace(told, colour);
    case "json":
      return printData(traceData(told), "json");
    case "mermaid":
    case "svg":
      return drawGraph(traceGraph(told), format);
  }
}
