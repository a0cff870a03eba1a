// Runs the trace command: traces a packet through computed rules or through those of a dump.

import { drawGraph } from "../../draw/picture.ts";
import { InputError } from "../../errors.ts";
import type { Family } from "../../net/family.ts";
import { openBackend } from "../backend.ts";
import { checkSupported } from "../configuration.ts";
import { printData } from "../data-text.ts";
import { EXIT, type ExitCode, wrongUsage } from "../failure.ts";
import { requireServices } from "../input-objects.ts";
import type { InputFlags } from "../inputs.ts";
import type { Output } from "../output.ts";
import { fieldIn, openTraceCluster, podsIn, type TraceCluster, whyUnknownNode, worldIn } from "./cluster.ts";
import type { Unreachable, Via } from "./destination.ts";
import { fieldOfDumps, readDumps } from "./dumps.ts";
import { readSender, readTarget } from "./from-to.ts";
import { findPackets } from "./packets.ts";
import { traceGraph } from "./print-graph.ts";
import { tracesData, unreachableData } from "./print-json.ts";
import { printTraces, targetOf } from "./print-text.ts";
import { reportOf, type TraceReport } from "./report.ts";

export const TRACE_FORMATS = ["text", "json", "mermaid", "svg"] as const;

interface TraceFlags {
  readonly from: string;
  readonly to: string;
  /** Of a Service: by which of its addresses. */
  readonly via?: Via | undefined;
  readonly inInterface?: string | undefined;
  readonly outInterface?: string | undefined;
  /** Dumps; none: what the manifests come to. */
  readonly rules: readonly string[];
  readonly format: (typeof TRACE_FORMATS)[number];
  /** Colour is welcome. */
  readonly colour: boolean;
}

/**
 * Traces a packet, or one to each address by which a Service is reached from outside. The answer is the exit code: 0 every
 * outcome is known, 1 some outcome is unknown, 2 some input could not be used. Rejects with InputError.
 */
export async function tracePaths(input: InputFlags, flags: TraceFlags, output: Output): Promise<ExitCode> {
  checkSupported(input.options, ["iptables", "ipvs"]);
  const places = { from: { source: "--from" }, to: { source: "--to" } };
  const [from, to] = [readSender(flags.from, places.from), readTarget(flags.to, places.to)];
  const cluster = await openTraceCluster(input, podsIn([from]));
  report(cluster, input, { output, isDump: flags.rules.length > 0 });
  checkInput(cluster, input, flags);
  const { via, inInterface, outInterface } = flags;
  const { packets, warnings, notes } = findPackets({ from, to, via, inInterface, outInterface }, cluster, places);
  for (const note of [...warnings, ...notes]) output.note(note);
  if ("kind" in packets) {
    await output.data(printUnreachable(packets, flags));
    return cluster.problems.length > 0 ? EXIT.unusable : EXIT.fine;
  }
  const fields = new Map<Family, Ground>();
  const reports: TraceReport[] = [];
  for (const packet of packets) {
    const ground = fields.get(packet.family) ?? (await openGround(packet.family, cluster, { flags, output }));
    fields.set(packet.family, ground);
    reports.push(reportOf({ packet, cluster, ...ground }));
  }
  await output.data(printReports(reports, flags));
  if (cluster.problems.length > 0) return EXIT.unusable;
  const isUnknown = reports.some(({ trace }) => trace.ends.some(({ outcome }) => outcome.kind === "unknown"));
  return isUnknown ? EXIT.problems : EXIT.fine;
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

/** Throws InputError where the rules of manifests are asked for, and the input has no Service or not this node. */
function checkInput(cluster: TraceCluster, { node, allowEmpty }: InputFlags, { rules }: TraceFlags): void {
  if (rules.length > 0) return;
  requireServices(cluster, allowEmpty || cluster.problems.length > 0);
  const reason = node === undefined || cluster.snapshot.nodes.size === 0 ? undefined : whyUnknownNode(cluster);
  if (reason !== undefined) throw new InputError({ source: "--node" }, reason);
}

/** What packets of one family are traced through. */
type Ground = Pick<Parameters<typeof reportOf>[0], "field" | "world" | "mode">;

async function openGround(
  family: Family,
  cluster: TraceCluster,
  { flags, output }: { readonly flags: TraceFlags; readonly output: Output },
): Promise<Ground> {
  const mode = cluster.options.mode === "ipvs" ? "ipvs" : "iptables";
  const world = worldIn(cluster, mode, family);
  if (flags.rules.length === 0)
    return { world, mode, field: fieldIn(cluster, await openBackend(cluster.options), world) };
  output.progress.show(() => "reading the dumps");
  const field = fieldOfDumps(await readDumps(flags.rules, family), family, cluster.addresses);
  return { world, mode: "dump", field };
}

function printReports(reports: readonly TraceReport[], { format, colour }: TraceFlags): Iterable<string> {
  switch (format) {
    case "text":
      return printTraces(reports, colour);
    case "json":
      return printData(tracesData(reports), "json");
    case "mermaid":
    case "svg": {
      const [first, ...more] = reports;
      if (first === undefined || more.length > 0) {
        const addresses = reports.map(({ trace }) => targetOf(trace.packet)).join(", ");
        throw wrongUsage(`-o ${format} draws one trace, but the Service has several addresses: say --to ${addresses}`);
      }
      return drawGraph(traceGraph(first), format);
    }
  }
}

/** A picture of no packet would be empty. */
function printUnreachable({ reason }: Unreachable, { format }: TraceFlags): Iterable<string> {
  if (format === "json") return printData(unreachableData(reason), "json");
  if (format === "text") return [`not reachable from outside: ${reason}`];
  throw wrongUsage(`-o ${format} has nothing to draw: not reachable from outside: ${reason}`);
}
