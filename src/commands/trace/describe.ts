// Describes one outcome of a trace in words.

import { printHostPort } from "../../trace/packet.ts";
import { printShare } from "../../trace/probability.ts";
import type { Delivery, Outcome, RuleLocation, ServerLocation, Verdict } from "../../trace/trace.ts";
import { printLocation, type TraceReport } from "./report.ts";

/** `1/3 (33.3 %)`; `possibly` where the choice is not random. */
export function describeProbability({ probability, possible }: Pick<Outcome, "probability" | "possible">): string {
  return possible ? "possibly" : printShare(probability);
}

/** The verdict: the receiver, or why the packet is not delivered. */
export function describeOutcome({ verdict }: Outcome, { podAt }: Pick<TraceReport, "podAt">): string {
  switch (verdict.kind) {
    case "delivered": {
      const { address, port } = verdict.to;
      const pod = podAt(address);
      const where = verdict.where === "node" ? ", a process of the node" : "";
      return `${printHostPort(address, port)}${pod === undefined ? "" : ` (Pod ${pod})`}${where}`;
    }
    case "dropped":
      return `dropped by ${describeLocation(verdict.by)}`;
    case "policy":
      return `dropped by the policy of ${verdict.table} ${verdict.hook}`;
    case "rejected":
      return `rejected with ${verdict.answer} by ${describeLocation(verdict.by)}`;
    case "refused":
      return `rejected with icmp-port-unreachable by ${describeLocation(verdict.by)}, which has no usable real server`;
    case "unknown":
      return `unknown: ${describeUnknown(verdict)}`;
  }
}

/** What is not known, behind the rule that needs it. */
export function describeUnknown({ by, reason }: Extract<Verdict, { kind: "unknown" }>): string {
  return by === undefined ? reason : `${describeLocation(by)} ${reason}`;
}

/** What else there is to say, in sentences: why it is so, what the receiver sees, how answers come back. */
export function describeDetails({ verdict }: Outcome): readonly string[] {
  switch (verdict.kind) {
    case "delivered":
      return describeDelivery(verdict);
    case "dropped":
    case "rejected":
      return describeReason(verdict.by);
    case "unknown":
      return verdict.remedy === undefined ? [] : [verdict.remedy];
    default:
      return [];
  }
}

/** `nat KUBE-SVC-X 2`, or a virtual server. */
function describeLocation(at: RuleLocation | ServerLocation): string {
  return "rule" in at ? `${at.table} ${printLocation(at)}` : `virtual server ${printLocation(at)}`;
}

/** Why the rule is there, where it is ours; else what its author noted. */
export function describeReason({ rule: { line, origin } }: RuleLocation): readonly string[] {
  if (origin) return [`${origin.heading}: ${origin.reason}`];
  const [, quoted, bare] = / --comment (?:"((?:[^"\\]|\\.)*)"|(\S+))/.exec(line) ?? [];
  const comment = quoted ?? bare;
  return comment === undefined ? [] : [`comment: ${comment}`];
}

function describeDelivery({ source, masqueradedBy, translatedBy, notes }: Delivery): readonly string[] {
  return [
    `source seen by the receiver: ${source ?? "an address of the node, chosen by its routes"}`,
    ...describeMasquerade(masqueradedBy),
    ...(translatedBy === undefined ? ["no rule changed the destination"] : []),
    ...notes,
  ];
}

/** Why the source is another one, or that it is not. */
export function describeMasquerade(by: readonly RuleLocation[]): readonly string[] {
  const [cause, ...others] = by;
  if (cause === undefined) return ["not masqueraded"];
  const [reason] = describeReason(cause);
  const done = others.map((place) => `, done by ${describeLocation(place)}`).join("");
  return [`masqueraded because of ${describeLocation(cause)}${reason === undefined ? "" : ` (${reason})`}${done}`];
}
