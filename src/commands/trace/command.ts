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
import { openTraceCluster, podsIn, rulesetIn, type TraceCluster, whyUnknownNode, worldIn } from "./cluster.ts";
import type { Unreachable, Via } from "./destination.ts";
import { readDumps, rulesetOfDumps } from "./dumps.ts";
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
  /** Which kind of address of a Service is used. */
  readonly via?: Via | undefined;
  readonly inInterface?: string | undefined;
  readonly outInterface?: string | undefined;
  /** Dump files; empty: compute the rules from the manifests. */
  readonly rules: readonly string[];
  readonly format: (typeof TRACE_FORMATS)[number];
  /** Print ANSI colours. */
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
  printNotes(cluster, input, { output, isDump: flags.rules.length > 0 });
  checkInput(cluster, input, flags);
  const { via, inInterface, outInterface } = flags;
  const { packets, warnings, notes } = findPackets({ from, to, via, inInterface, outInterface }, cluster, places);
  for (const note of [...warnings, ...notes]) output.note(note);
  if ("kind" in packets) {
    await output.data(printUnreachable(packets, flags));
    return cluster.problems.length > 0 ? EXIT.unusable : EXIT.fine;
  }
  const rulesets = new Map<Family, FamilyRuleset>();
  const reports: TraceReport[] = [];
  for (const packet of packets) {
    const ruleset = rulesets.get(packet.family) ?? (await openRuleset(packet.family, cluster, { flags, output }));
    rulesets.set(packet.family, ruleset);
    reports.push(reportOf({ packet, cluster, ...ruleset }));
  }
  await output.data(printReports(reports, flags));
  if (cluster.problems.length > 0) return EXIT.unusable;
  const isUnknown = reports.some(({ trace }) => trace.outcomes.some(({ verdict }) => verdict.kind === "unknown"));
  return isUnknown ? EXIT.problems : EXIT.fine;
}

interface ReportOptions {
  readonly output: Output;
  /** The rules come from a dump, not from manifests. */
  readonly isDump: boolean;
}

function printNotes(cluster: TraceCluster, { verbose }: InputFlags, { output, isDump }: ReportOptions): void {
  // A dump names no node, so notes about the choice of the node do not apply.
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

/** What packets of one family are traced through: the ruleset, and the Services of the node. */
type FamilyRuleset = Pick<Parameters<typeof reportOf>[0], "ruleset" | "world" | "mode">;

async function openRuleset(
  family: Family,
  cluster: TraceCluster,
  { flags, output }: { readonly flags: TraceFlags; readonly output: Output },
): Promise<FamilyRuleset> {
  const mode = cluster.options.mode === "ipvs" ? "ipvs" : "iptables";
  const world = worldIn(cluster, mode, family);
  if (flags.rules.length === 0)
    return { world, mode, ruleset: rulesetIn(cluster, await openBackend(cluster.options), world) };
  output.progress.show(() => "reading the dumps");
  const ruleset = rulesetOfDumps(await readDumps(flags.rules, family), family, cluster.addresses);
  return { world, mode: "dump", ruleset };
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

/** Pictures have no form for a packet that is not sent. */
function printUnreachable({ reason }: Unreachable, { format }: TraceFlags): Iterable<string> {
  if (format === "json") return printData(unreachableData(reason), "json");
  if (format === "text") return [`not reachable from outside: ${reason}`];
  throw wrongUsage(`-o ${format} has nothing to draw: not reachable from outside: ${reason}`);
}
