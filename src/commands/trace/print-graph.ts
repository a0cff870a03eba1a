// Converts a trace to a graph of chains and outcomes.

import { type Arrow, type Box, type BoxKind, type Graph, mergeGraph } from "../../draw/graph.ts";
import { joinPieces, shorten } from "../../draw/lines.ts";
import { HOOKS } from "../../trace/match/context.ts";
import { type Fraction, plus, printShare } from "../../trace/probability.ts";
import type { Outcome, RuleLocation, ServerLocation, Step, Verdict } from "../../trace/trace.ts";
import { describeOutcome, describeProbability } from "./describe.ts";
import { describePacket, senderOf } from "./print-text.ts";
import { groupSteps, hookAndTable, printLocation, type StepGroup, type TraceReport } from "./report.ts";

const START = "start";

/** A way back up, from a chain to the one that led there, is not drawn. */
export function traceGraph(report: TraceReport): Graph {
  const { steps, outcomes } = report.trace;
  const groups = groupSteps(steps);
  const places = [...new Map(groups.map(({ at }) => [boxId(at), at]))];
  const order = [START, ...places.map(([id]) => id)];
  const chains = places.map(([id, at]) => chainBox(id, at, groups));
  const forward = ({ from, to }: Arrow) => order.indexOf(from) < order.indexOf(to);
  const start: Box = { id: START, kind: "hook", caption: "from", name: senderOf(report.trace.packet), notes: [] };
  return mergeGraph({
    title: describePacket(report),
    boxes: [start, ...chains, ...outcomes.map((outcome, index) => outcomeBox(outcome, index, report))],
    arrows: [...arrowsOf(steps).filter(forward), ...outcomes.flatMap(outcomeArrows)],
  });
}

function boxId(at: RuleLocation | ServerLocation): string {
  return `${hookAndTable(at)} ${"rule" in at ? at.chain : printLocation(at)}`;
}

function chainBox(id: string, at: RuleLocation | ServerLocation, groups: readonly StepGroup[]): Box {
  const deeds = groups.filter((group) => boxId(group.at) === id && !group.what.startsWith("jumps to "));
  const notes = shorten(deeds.flatMap(({ what }) => joinPieces([what])));
  if (!("rule" in at)) return { id, kind: "server", caption: `ipvs ${at.hook}`, name: printLocation(at), notes };
  const hook = HOOKS.some((one) => one === at.chain);
  const caption = hook ? at.table : `${at.table} ${at.hook}`;
  return { id, kind: hook ? "hook" : "chain", caption, name: at.chain, notes };
}

/** From box to box, with the share of all that go there; none where ways that had parted come together. */
function arrowsOf(steps: readonly Step[]): readonly Arrow[] {
  const flows = new Map<string, Flow>();
  for (const { at, probability, previous } of steps) {
    const to = boxId(at);
    const origins = new Set(previous.length === 0 ? [START] : previous.map((step) => boxId(step.at)));
    const known = origins.size === 1 ? probability : undefined;
    for (const from of origins) {
      const key = JSON.stringify([from, to]);
      const other = flows.get(key);
      const sum = other?.probability && known ? plus(other.probability, known) : undefined;
      flows.set(key, { from, to, probability: other ? sum : known });
    }
  }
  return [...flows.values()].map(({ from, to, probability }) => ({
    from,
    to,
    labels: probability ? labelsOf(probability) : [],
  }));
}

interface Flow {
  readonly from: string;
  readonly to: string;
  readonly probability: Fraction | undefined;
}

function labelsOf(share: Fraction): readonly string[] {
  const text = printShare(share);
  return text === "100 %" ? [] : [text];
}

const KINDS: Readonly<Record<Verdict["kind"], BoxKind>> = {
  delivered: "endpoint",
  dropped: "refusal",
  policy: "refusal",
  rejected: "refusal",
  refused: "refusal",
  unknown: "stop",
};

function outcomeBox(outcome: Outcome, index: number, report: TraceReport): Box {
  const { verdict } = outcome;
  const masqueraded = verdict.kind === "delivered" && verdict.masqueradedBy.length > 0;
  const notes = [describeProbability(outcome), ...(masqueraded ? ["masqueraded"] : [])];
  return {
    id: `outcome ${index}`,
    kind: KINDS[verdict.kind],
    caption: "",
    name: describeOutcome(outcome, report),
    notes,
  };
}

function outcomeArrows(outcome: Outcome, index: number): readonly Arrow[] {
  const from = outcome.lastSteps.length === 0 ? [START] : [...new Set(outcome.lastSteps.map(({ at }) => boxId(at)))];
  return from.map((id) => ({ from: id, to: `outcome ${index}`, labels: [] }));
}
