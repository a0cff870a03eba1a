// Converts a trace to JSON data.

import { type Fraction, numberOf, smallFraction } from "../../trace/probability.ts";
import type { RuleLocation, ServerLocation, Step, Verdict } from "../../trace/trace.ts";
import type { Data } from "../data-text.ts";
import { describeDetails } from "./describe.ts";
import { protocolOf } from "./print-text.ts";
import { printLocation, type TraceReport } from "./report.ts";
import { explainService } from "./service.ts";

/** One trace for each address that was traced. */
export function tracesData(reports: readonly TraceReport[]): Data {
  return { ...HEAD, traces: reports.map(traceData) };
}

/** Of a Service that clients outside have no way to. */
export function unreachableData(reason: string): Data {
  const probability = { value: 1, fraction: "1", exact: "1" };
  return {
    ...HEAD,
    traces: [
      { steps: [], outcomes: [{ outcome: "unreachable", reason, probability, possible: false, lastSteps: [] }] },
    ],
  };
}

const HEAD = { apiVersion: "fairlead/v1", kind: "Trace" };

/** Steps are identified by their index; `previous` and `lastSteps` are such positions. */
function traceData(report: TraceReport): Data {
  const { trace, mode, tables, layout, nodeName, service } = report;
  const { packet, steps, outcomes } = trace;
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
      addressKind: service.addressKind,
      explanation: explainService(service),
    },
    steps: steps.map((step) => ({
      ...locationData(step.at),
      what: step.what,
      probability: probabilityData(step.probability),
      previous: positionsOf(step.previous),
    })),
    outcomes: outcomes.map((outcome) => ({
      ...verdictData(outcome.verdict),
      probability: probabilityData(outcome.probability),
      possible: outcome.possible,
      details: describeDetails(outcome),
      lastSteps: positionsOf(outcome.lastSteps),
    })),
  };
}

/** Larger denominators (in bits) are left out of `exact`. */
const MOST_BITS = 1024n;

/**
 * `value` is rounded to a number, `fraction` is the simple fraction the rules approximate, `exact` is what they amount
 * to.
 */
function probabilityData(share: Fraction): Data {
  const small = smallFraction(share);
  return {
    value: numberOf(share),
    fraction: small && printFraction(small),
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

function locationData(at: RuleLocation | ServerLocation) {
  if (!("rule" in at)) return { hook: at.hook, server: printLocation(at) };
  const { hook, table, chain, number, rule } = at;
  return { hook, table, chain, number, rule: rule.line, reason: rule.origin?.reason };
}

function verdictData(outcome: Verdict) {
  switch (outcome.kind) {
    case "delivered": {
      const { where, to, source, translatedBy, masqueradedBy } = outcome;
      return {
        outcome: outcome.kind,
        where,
        to: { address: to.address, port: to.port },
        source,
        translatedBy: translatedBy && locationData(translatedBy),
        masqueradedBy: masqueradedBy.map(locationData),
      };
    }
    case "policy":
      return { outcome: "dropped", policy: `${outcome.table} ${outcome.hook}` };
    case "rejected":
      return { outcome: outcome.kind, answer: outcome.answer, by: locationData(outcome.by) };
    case "refused":
      return { outcome: "rejected", answer: "icmp-port-unreachable", by: locationData(outcome.by) };
    case "dropped":
      return { outcome: outcome.kind, by: locationData(outcome.by) };
    case "unknown":
      return {
        outcome: outcome.kind,
        reason: outcome.reason,
        remedy: outcome.remedy,
        by: outcome.by && locationData(outcome.by),
      };
  }
}
