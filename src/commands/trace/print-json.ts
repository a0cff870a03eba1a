// Converts a trace to JSON data.

import { type Fraction, numberOf, smallFraction } from "../../trace/probability.ts";
import type { Outcome, RulePlace, ServerPlace, Step } from "../../trace/trace.ts";
import type { Data } from "../data-text.ts";
import { sayDetails } from "./describe.ts";
import { protocolOf } from "./print-text.ts";
import { placeOf, type TraceReport } from "./report.ts";
import { explainService } from "./service.ts";

/** One trace for each address that was traced. */
export function tracesData(reports: readonly TraceReport[]): Data {
  return { ...HEAD, traces: reports.map(traceData) };
}

/** Of a Service that clients outside have no way to. */
export function unreachableData(reason: string): Data {
  const share = { number: 1, meant: "1", exact: "1" };
  return { ...HEAD, traces: [{ steps: [], ends: [{ end: "unreachable", reason, share, possible: false, last: [] }] }] };
}

const HEAD = { apiVersion: "fairlead/v1", kind: "Trace" };

/** Steps are called by their position among all; `before` and `last` are such positions. */
function traceData(report: TraceReport): Data {
  const { trace, mode, tables, layout, nodeName, service } = report;
  const { packet, steps, ends } = trace;
  const positionsOf = (some: readonly Step[]) => some.map((step) => steps.indexOf(step));
  return {
    packet: {
      family: packet.family,
      protocol: protocolOf(packet),
      from: {
        node: packet.origin.kind === "node",
        address: packet.origin.source,
        port: packet.sourcePort,
        interface: packet.origin.kind === "arrives" ? packet.origin.inInterface : undefined,
      },
      to: { address: packet.destination, port: packet.destinationPort },
    },
    mode,
    tables: mode === "dump" ? tables : undefined,
    layout,
    node: nodeName === "" ? undefined : nodeName,
    service: service && {
      servicePort: service.traffic.servicePort.text,
      entrance: service.entrance,
      explanation: explainService(service),
    },
    steps: steps.map((step) => ({
      ...placeData(step.at),
      what: step.what,
      share: shareData(step.share),
      before: positionsOf(step.before),
    })),
    ends: ends.map((end) => ({
      ...outcomeData(end.outcome),
      share: shareData(end.share),
      possible: end.possible,
      details: sayDetails(end),
      last: positionsOf(end.last),
    })),
  };
}

/** A fraction with more bits below is of no use to anybody. */
const MOST_BITS = 1024n;

/** `exact` is what the rules come to, `meant` the fraction that they stand for, where there is such a one. */
function shareData(share: Fraction): Data {
  const small = smallFraction(share);
  return {
    number: numberOf(share),
    meant: small && printFraction(small),
    exact: share.bottom >> MOST_BITS > 0n ? undefined : printFraction(lowest(share)),
  };
}

function printFraction({ top, bottom }: Fraction): string {
  return bottom === 1n ? String(top) : `${top}/${bottom}`;
}

function lowest({ top, bottom }: Fraction): Fraction {
  let [divisor, other] = [bottom, top];
  while (other !== 0n) [divisor, other] = [other, divisor % other];
  return { top: top / divisor, bottom: bottom / divisor };
}

function placeData(at: RulePlace | ServerPlace) {
  if (!("rule" in at)) return { hook: at.hook, server: placeOf(at) };
  const { hook, table, chain, number, rule } = at;
  return { hook, table, chain, number, rule: rule.line, reason: rule.origin?.reason };
}

function outcomeData(outcome: Outcome) {
  switch (outcome.kind) {
    case "delivered": {
      const { where, to, source, translatedBy, masqueradedBy } = outcome;
      return {
        end: outcome.kind,
        where,
        to: { address: to.address, port: to.port },
        source,
        translatedBy: translatedBy && placeData(translatedBy),
        masqueradedBy: masqueradedBy.map(placeData),
      };
    }
    case "policy":
      return { end: "dropped", policy: `${outcome.table} ${outcome.hook}` };
    case "rejected":
      return { end: outcome.kind, answer: outcome.answer, by: placeData(outcome.by) };
    case "refused":
      return { end: "rejected", answer: "icmp-port-unreachable", by: placeData(outcome.by) };
    case "dropped":
      return { end: outcome.kind, by: placeData(outcome.by) };
    case "unknown":
      return {
        end: outcome.kind,
        reason: outcome.reason,
        remedy: outcome.remedy,
        by: outcome.by && placeData(outcome.by),
      };
  }
}
