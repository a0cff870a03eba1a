// Converts a trace to a graph of chains and outcomes.

import { type Arrow, type Box, type BoxKind, type Graph, mergeGraph } from "../../draw/graph.ts";
import { joinPieces, shorten } from "../../draw/lines.ts";
import { HOOKS } from "../../trace/match/context.ts";
import { type Fraction, plus, printShare } from "../../trace/probability.ts";
import type { End, Outcome, RulePlace, ServerPlace, Step } from "../../trace/trace.ts";
import { sayOutcome, sayShare } from "./describe.ts";
import { sayPacket, senderOf } from "./print-text.ts";
import { type Meeting, meetingsOf, placeOf, stationOf, type TraceReport } from "./report.ts";

const START = "start";

/** A way back up, from a chain to the one that led there, is not drawn. */
export function traceGraph(report: TraceReport): Graph {
  const { steps, ends } = report.trace;
  const meetings = meetingsOf(steps);
  const places = [...new Map(meetings.map(({ at }) => [boxId(at), at]))];
  const order = [START, ...places.map(([id]) => id)];
  const chains = places.map(([id, at]) => chainBox(id, at, meetings));
  const forward = ({ from, to }: Arrow) => order.indexOf(from) < order.indexOf(to);
  const start: Box = { id: START, kind: "hook", caption: "from", name: senderOf(report.trace.packet), notes: [] };
  return mergeGraph({
    title: sayPacket(report),
    boxes: [start, ...chains, ...ends.map((end, index) => endBox(end, index, report))],
    arrows: [...arrowsOf(steps).filter(forward), ...ends.flatMap(endArrows)],
  });
}

function boxId(at: RulePlace | ServerPlace): string {
  return `${stationOf(at)} ${"rule" in at ? at.chain : placeOf(at)}`;
}

function chainBox(id: string, at: RulePlace | ServerPlace, meetings: readonly Meeting[]): Box {
  const deeds = meetings.filter((meeting) => boxId(meeting.at) === id && !meeting.what.startsWith("goes to "));
  const notes = shorten(deeds.flatMap(({ what }) => joinPieces([what])));
  if (!("rule" in at)) return { id, kind: "server", caption: `ipvs ${at.hook}`, name: placeOf(at), notes };
  const hook = HOOKS.some((one) => one === at.chain);
  const caption = hook ? at.table : `${at.table} ${at.hook}`;
  return { id, kind: hook ? "hook" : "chain", caption, name: at.chain, notes };
}

/** From box to box, with the share of all that go there; none where ways that had parted come together. */
function arrowsOf(steps: readonly Step[]): readonly Arrow[] {
  const flows = new Map<string, Flow>();
  for (const { at, share, before } of steps) {
    const to = boxId(at);
    const origins = new Set(before.length === 0 ? [START] : before.map((step) => boxId(step.at)));
    const known = origins.size === 1 ? share : undefined;
    for (const from of origins) {
      const key = JSON.stringify([from, to]);
      const other = flows.get(key);
      const sum = other?.share && known ? plus(other.share, known) : undefined;
      flows.set(key, { from, to, share: other ? sum : known });
    }
  }
  return [...flows.values()].map(({ from, to, share }) => ({ from, to, labels: share ? labelsOf(share) : [] }));
}

interface Flow {
  readonly from: string;
  readonly to: string;
  readonly share: Fraction | undefined;
}

function labelsOf(share: Fraction): readonly string[] {
  const text = printShare(share);
  return text === "100 %" ? [] : [text];
}

const KINDS: Readonly<Record<Outcome["kind"], BoxKind>> = {
  delivered: "endpoint",
  dropped: "refusal",
  policy: "refusal",
  rejected: "refusal",
  refused: "refusal",
  unknown: "stop",
};

function endBox(end: End, index: number, report: TraceReport): Box {
  const { outcome } = end;
  const masqueraded = outcome.kind === "delivered" && outcome.masqueradedBy.length > 0;
  const notes = [sayShare(end), ...(masqueraded ? ["masqueraded"] : [])];
  return { id: `end ${index}`, kind: KINDS[outcome.kind], caption: "", name: sayOutcome(end, report), notes };
}

function endArrows(end: End, index: number): readonly Arrow[] {
  const from = end.last.length === 0 ? [START] : [...new Set(end.last.map(({ at }) => boxId(at)))];
  return from.map((id) => ({ from: id, to: `end ${index}`, labels: [] }));
}
