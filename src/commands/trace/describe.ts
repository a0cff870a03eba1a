// Describes one outcome of a trace in words.

import { printHostPort } from "../../trace/packet.ts";
import { printShare } from "../../trace/probability.ts";
import type { Delivery, End, Outcome, RulePlace, ServerPlace } from "../../trace/trace.ts";
import { placeOf, type TraceReport } from "./report.ts";

/** `1/3 (33.3 %)`; of what chance does not decide, that it may be. */
export function sayShare({ share, possible }: Pick<End, "share" | "possible">): string {
  return possible ? "possibly" : printShare(share);
}

/** What becomes of the packet: who gets it, or that nobody does. */
export function sayOutcome({ outcome }: End, { podAt }: Pick<TraceReport, "podAt">): string {
  switch (outcome.kind) {
    case "delivered": {
      const { address, port } = outcome.to;
      const pod = podAt(address);
      const where = outcome.where === "node" ? ", a process of the node" : "";
      return `${printHostPort(address, port)}${pod === undefined ? "" : ` (Pod ${pod})`}${where}`;
    }
    case "dropped":
      return `dropped by ${sayPlace(outcome.by)}`;
    case "policy":
      return `dropped by the policy of ${outcome.table} ${outcome.hook}`;
    case "rejected":
      return `rejected with ${outcome.answer} by ${sayPlace(outcome.by)}`;
    case "refused":
      return `rejected with icmp-port-unreachable by ${sayPlace(outcome.by)}, which has nobody to send it to`;
    case "unknown":
      return `unknown: ${sayUnknown(outcome)}`;
  }
}

/** What is not known, behind the rule that needs it. */
export function sayUnknown({ by, reason }: Extract<Outcome, { kind: "unknown" }>): string {
  return by === undefined ? reason : `${sayPlace(by)} ${reason}`;
}

/** What else there is to say, in sentences: why it is so, what the receiver sees, how answers come back. */
export function sayDetails({ outcome }: End): readonly string[] {
  switch (outcome.kind) {
    case "delivered":
      return sayDelivery(outcome);
    case "dropped":
    case "rejected":
      return sayReason(outcome.by);
    case "unknown":
      return outcome.remedy === undefined ? [] : [outcome.remedy];
    default:
      return [];
  }
}

/** `nat KUBE-SVC-X 2`, or a virtual server. */
function sayPlace(at: RulePlace | ServerPlace): string {
  return "rule" in at ? `${at.table} ${placeOf(at)}` : `virtual server ${placeOf(at)}`;
}

/** Why the rule is there, where it is ours; else what its author noted. */
export function sayReason({ rule: { line, origin } }: RulePlace): readonly string[] {
  if (origin) return [`${origin.heading}: ${origin.reason}`];
  const [, quoted, bare] = / --comment (?:"((?:[^"\\]|\\.)*)"|(\S+))/.exec(line) ?? [];
  const comment = quoted ?? bare;
  return comment === undefined ? [] : [`comment: ${comment}`];
}

function sayDelivery({ source, masqueradedBy, translatedBy, notes }: Delivery): readonly string[] {
  return [
    `it sees ${source ?? "an address of the node, which the routes decide,"} as the source`,
    ...sayMasquerade(masqueradedBy),
    ...(translatedBy === undefined ? ["no rule changed the destination"] : []),
    ...notes,
  ];
}

/** Why the source is another one, or that it is not. */
export function sayMasquerade(by: readonly RulePlace[]): readonly string[] {
  const [cause, ...others] = by;
  if (cause === undefined) return ["not masqueraded: that is the sender's own"];
  const [reason] = sayReason(cause);
  const done = others.map((place) => `, done by ${sayPlace(place)}`).join("");
  return [`masqueraded because of ${sayPlace(cause)}${reason === undefined ? "" : ` (${reason})`}${done}`];
}
