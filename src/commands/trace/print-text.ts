// Prints a trace as text: the packet, its Service, the rules matched, and the result.

import { PROTOCOL_NUMBERS, PROTOCOLS } from "../../net/protocol.ts";
import { isIndexChain } from "../../state/index-chain-name.ts";
import { type Packet, printHostPort } from "../../trace/packet.ts";
import { numberOf, printShare } from "../../trace/probability.ts";
import type { Outcome, RuleLocation, Step, Verdict } from "../../trace/trace.ts";
import { describeDetails, describeOutcome, describeProbability, describeReason, describeUnknown } from "./describe.ts";
import {
  groupDispatch,
  groupOutcomes,
  groupSteps,
  hookAndTable,
  printLocation,
  type StepGroup,
  type TraceReport,
} from "./report.ts";
import { explainService } from "./service.ts";

/** As kube-proxy has written them in iptables mode since 1.20. */
const COMMENT =
  / --comment (?:"([a-z0-9-]+\/[a-z0-9.-]+(?::[a-z0-9-]+)?) (?:cluster IP|external IP|loadbalancer IP|has no [^"]*)"|"?([a-z0-9-]+\/[a-z0-9.-]+(?::[a-z0-9-]+)?)"? )/;

/** Where packets are told apart by Service. */
const CHAINS: ReadonlySet<string> = new Set([
  "KUBE-SERVICES",
  "KUBE-NODEPORTS",
  "KUBE-EXTERNAL-SERVICES",
  "KUBE-IX-NODEPORTS",
]);

interface NamedService {
  readonly name: string;
  /** The rule, by chain and number. */
  readonly by: string;
}

/** The first one that is named. */
function namedService(steps: readonly Step[]): NamedService | undefined {
  for (const { at } of steps) {
    const name = "rule" in at && (CHAINS.has(at.chain) || isIndexChain(at.chain)) ? nameIn(at) : undefined;
    if (name !== undefined) return { name, by: printLocation(at) };
  }
  return undefined;
}

function nameIn({ rule }: RuleLocation): string | undefined {
  const [, described, bare] = COMMENT.exec(rule.line) ?? [];
  return described ?? bare;
}

const STYLES = { heading: "1", rule: "2", good: "32", bad: "31", open: "33" } as const;

type Style = keyof typeof STYLES;

type Paint = (style: Style, text: string) => string;

/** What is unknown of any trace; then each trace, with an empty line between them. */
export function* printTraces(reports: readonly TraceReport[], colour: boolean): Iterable<string> {
  const paint: Paint = (style, text) => (colour ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text);
  for (const line of unknowns(reports.flatMap(({ trace }) => trace.outcomes))) yield paint("open", line);
  for (const [index, report] of reports.entries()) {
    if (index > 0) yield "";
    yield* printTrace(report, paint);
  }
}

/** The packet, its Service, the rules that it matches, and its outcomes. */
function* printTrace(report: TraceReport, paint: Paint): Iterable<string> {
  const { trace } = report;
  yield paint("heading", describePacket(report));
  yield "";
  yield* printService(report);
  yield "";
  yield* printStepGroups(groupSteps(trace.steps), paint);
  yield "";
  yield paint("heading", trace.outcomes.length === 1 ? "Result" : "Results");
  for (const outcomes of groupOutcomes(trace.outcomes, describeDetails)) yield* printOutcomes(outcomes, report, paint);
}

/** Says first what the answer lacks, each part once, and what would supply it. */
function unknowns(outcomes: readonly Outcome[]): readonly string[] {
  const lines = outcomes.flatMap(({ verdict }) => {
    if (verdict.kind !== "unknown") return [];
    return [`unknown: ${describeUnknown(verdict)}${verdict.remedy === undefined ? "" : `; ${verdict.remedy}`}`];
  });
  return lines.length === 0 ? [] : [...new Set(lines), ""];
}

/** `TCP from 10.1.0.1 to 10.96.0.1:80, iptables mode, on node a`. */
export function describePacket({ trace: { packet }, mode, tables, layout, nodeName }: TraceReport): string {
  const where = mode === "dump" ? `rules of the dump (${describeTables(tables)})` : `${mode} mode`;
  const how = layout === "Indexed" ? "Indexed layout" : "";
  return [`${protocolOf(packet)} from ${senderOf(packet)} to ${targetOf(packet)}`, where, how, onNode(nodeName)]
    .filter((part) => part !== "")
    .join(", ");
}

function describeTables(tables: readonly string[]): string {
  return tables.length === 0 ? "no table" : `${tables.length === 1 ? "table" : "tables"} ${tables.join(", ")}`;
}

function onNode(nodeName: string): string {
  return nodeName === "" ? "" : `on node ${nodeName}`;
}

/** As Kubernetes spells it: no other protocol is traced. */
export function protocolOf({ protocol }: Packet): string {
  return PROTOCOLS.filter((name) => PROTOCOL_NUMBERS[name] === protocol).join();
}

export function senderOf({ origin, sourcePort }: Packet): string {
  if (origin.source === undefined) return "a process of the node";
  const text = printHostPort(origin.source, sourcePort);
  if (origin.kind === "node") return `a process of the node at ${text}`;
  return origin.inInterface === undefined ? text : `${text} by ${origin.inInterface}`;
}

export function targetOf({ destination, destinationPort }: Packet): string {
  return printHostPort(destination, destinationPort);
}

function* printService({ service, mode, trace }: TraceReport): Iterable<string> {
  if (service !== undefined) {
    yield `Service ${service.traffic.servicePort.text}, by its ${service.addressKind}`;
    for (const line of explainService(service)) yield `  ${line}`;
    return;
  }
  const named = mode === "dump" ? namedService(trace.steps) : undefined;
  yield named
    ? `Service ${named.name}, from the comment of ${named.by}`
    : "No known Service has this address and port.";
}

function* printStepGroups(groups: readonly StepGroup[], paint: Paint): Iterable<string> {
  yield paint("heading", groups.length === 0 ? "No rules matched" : "Rules matched");
  let station = "";
  for (const descent of groupDispatch(groups)) {
    const [{ at }] = descent;
    if (hookAndTable(at) !== station) {
      station = hookAndTable(at);
      yield `  ${station}`;
    }
    yield* printStepGroup(descent, paint);
  }
}

/** Prints a descent through the dispatch tree as one step: its first rule, its last chain, and all its rules. */
function* printStepGroup(descent: readonly [StepGroup, ...StepGroup[]], paint: Paint): Iterable<string> {
  const [{ at, what: first, probability }, ...others] = descent;
  const last = others.at(-1);
  const what = last ? last.what.replace("jumps to", "descends the dispatch tree to") : first;
  const part = isAll(probability) ? "" : ` [${printShare(probability)}]`;
  yield `    ${printLocation(at)}: ${what}${part}`;
  if (!("rule" in at)) return;
  for (const each of descent) if ("rule" in each.at) yield paint("rule", `      ${each.at.rule.line}`);
  for (const reason of at.rule.origin ? describeReason(at) : []) yield `      ${reason}`;
}

function isAll(share: StepGroup["probability"]): boolean {
  return numberOf(share) === 1;
}

const LOOKS: Readonly<Record<Verdict["kind"], Style>> = {
  delivered: "good",
  dropped: "bad",
  policy: "bad",
  rejected: "bad",
  refused: "bad",
  unknown: "open",
};

function* printOutcomes(outcomes: readonly Outcome[], report: TraceReport, paint: Paint): Iterable<string> {
  const width = Math.max(...outcomes.map((outcome) => describeProbability(outcome).length));
  for (const outcome of outcomes) {
    yield `  ${describeProbability(outcome).padEnd(width)}  ${paint(LOOKS[outcome.verdict.kind], describeOutcome(outcome, report))}`;
  }
  for (const detail of outcomes.slice(0, 1).flatMap(describeDetails)) yield `    ${detail}`;
}
