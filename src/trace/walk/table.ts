// Walks a packet through one table at one hook.

import { judgeRule } from "../match/evaluate.ts";
import type { Judgement } from "../match/match-result.ts";
import { type PacketState, printHostPort } from "../packet.ts";
import { ALWAYS, type Fraction, fraction, rest, times } from "../probability.ts";
import type { ParsedRule } from "../rule/rule.ts";
import type { Outcome, RulePlace } from "../trace.ts";
import { type Effect, effectOf } from "./apply-target.ts";
import { type Branch, Branches, type Reasons, type Recorder } from "./branches.ts";
import { type Caller, enterChain, enterHook, type Frame, parsedRule, placeOf, type TableVisit } from "./chain.ts";
import { Fates } from "./verdicts.ts";

/** A table that is being walked. */
interface Walk extends TableVisit {
  readonly recorder: Recorder;
  readonly fates: Fates;
  readonly accepted: Branches;
}

/** A rule that some branches are at. */
interface Met extends Caller {
  readonly walk: Walk;
  readonly place: RulePlace;
  readonly parsed: ParsedRule;
}

/** Those that the table lets pass. Others find their end there, which the recorder is told. */
export function walkTable(visit: TableVisit, branches: Branches, recorder: Recorder): Branches {
  const frame = enterHook(visit);
  if (frame === undefined || branches.size === 0) return branches;
  const walk = { ...visit, recorder, fates: new Fates(visit), accepted: new Branches() };
  for (const branch of walkChain(walk, frame, branches)) {
    if (visit.policy === "ACCEPT") walk.accepted.add(branch);
    else recorder.end(branch, { kind: "policy", hook: visit.situation.hook, table: visit.situation.table });
  }
  return walk.accepted;
}

/** Those that come back out of the chain. */
function walkChain(walk: Walk, frame: Frame, entering: Branches): Branches {
  const here = new Branches(entering);
  const back = new Branches();
  for (const [index, rule] of frame.rules.entries()) {
    if (here.size === 0) break;
    const parsed = parsedRule(rule);
    const met = [...meeting(walk, parsed, here)];
    if (met.length === 0) continue;
    const at = { walk, frame, index, parsed, place: placeOf(walk, { frame, index }, rule) };
    for (const [branch] of met) here.remove(branch);
    obey(at, [...takenBy(at, met, here)], { here, back });
  }
  for (const branch of here) back.add(branch);
  return back;
}

type Meeting = readonly [branch: Branch, judgement: Exclude<Judgement, { kind: "fails" }>];

function* meeting({ situation }: Walk, parsed: ParsedRule, here: Branches): Iterable<Meeting> {
  for (const branch of here) {
    const judgement = judgeRule(parsed, branch.state, situation);
    if (judgement.kind !== "fails") yield [branch, judgement];
  }
}

/** Those whom the rule is for; the others, or the rest of a share, stay here. */
function* takenBy(
  { walk, place, frame, index, parsed }: Met,
  met: readonly Meeting[],
  here: Branches,
): Iterable<Branch> {
  for (const [branch, judgement] of met) {
    if (judgement.kind === "holds") {
      yield branch;
    } else if (judgement.kind === "chance") {
      here.add({ ...branch, share: times(branch.share, rest(judgement.share)) });
      yield { ...branch, share: times(branch.share, judgement.share) };
    } else if (walk.fates.makesNoDifference({ frame, index }, parsed, branch.state)) {
      here.add(branch);
    } else {
      walk.recorder.end(branch, { kind: "unknown", by: place, reason: judgement.reason });
    }
  }
}

/** Where branches go from a rule: on in this chain, or back out of it. */
interface Ways {
  readonly here: Branches;
  readonly back: Branches;
}

function obey(at: Met, taken: readonly Branch[], ways: Ways): void {
  const { walk, parsed } = at;
  const entering = new Branches();
  let lead: Lead | undefined;
  for (const branch of taken) {
    const effect = effectOf(parsed, branch.state, walk.situation);
    if (effect.kind === "enter") {
      lead = effect;
      entering.add(step(at, branch, `goes to ${effect.chain}`));
    } else {
      obeyAlone(at, branch, effect, ways);
    }
  }
  if (lead !== undefined) enter(at, lead, { ...ways, entering });
}

type Lead = Extract<Effect, { kind: "enter" }>;

/** All of them together, so that no chain is walked more often than it has to be. */
function enter(at: Met, lead: Lead, { here, back, entering }: Ways & { readonly entering: Branches }): void {
  const entered = enterChain(at.walk, at, lead);
  if (typeof entered === "string") {
    for (const branch of entering) end(at, branch, { kind: "unknown", by: at.place, reason: entered });
    return;
  }
  const returned = walkChain(at.walk, entered, entering);
  for (const branch of returned) (lead.back ? here : back).add(branch);
}

function obeyAlone(at: Met, branch: Branch, effect: Exclude<Effect, { kind: "enter" }>, { here, back }: Ways): void {
  const by = at.place;
  switch (effect.kind) {
    case "on":
      here.add(continued(at, step(at, branch, effect.what), effect.state));
      break;
    case "return":
      back.add(step(at, branch, "returns"));
      break;
    case "accept":
      accept(at, branch, effect);
      break;
    case "drop":
      end(at, step(at, branch, "dropped"), { kind: "dropped", by });
      break;
    case "reject":
      end(at, step(at, branch, "rejected"), { kind: "rejected", by, answer: effect.answer });
      break;
    case "stop":
      end(at, branch, { kind: "unknown", by, reason: effect.reason });
  }
}

/** Of several states each is as good as the other: their shares only hold the places. */
function accept(at: Met, branch: Branch, { states, what }: Extract<Effect, { kind: "accept" }>): void {
  const share: Fraction = states.length === 1 ? ALWAYS : fraction(1, states.length);
  for (const state of states) {
    const one = { ...branch, share: times(branch.share, share), possible: branch.possible || states.length > 1 };
    at.walk.accepted.add(continued(at, step(at, one, `${what}${becomes(what, state)}`), state));
  }
}

function becomes(what: string, state: PacketState): string {
  if (what === "destination becomes") return ` ${printHostPort(state.destination.text, state.destinationPort)}`;
  return what === "source becomes" ? ` ${state.source?.text ?? "the node's address"}` : "";
}

/** The branch with its new state, and the reasons for it. */
function continued(at: Met, branch: Branch, state: PacketState): Branch {
  return { ...branch, state, reasons: reasonsAfter(at, branch, state) };
}

function reasonsAfter(at: Met, { reasons, state: before }: Branch, state: PacketState): Reasons {
  const { place, parsed } = at;
  const { kind } = parsed.target;
  if (kind === "dnat" || kind === "redirect") return { ...reasons, translated: place };
  if (kind === "masquerade" || kind === "snat") {
    const looks = parsed.matches.some((match) => match.kind === "mark" && !match.not);
    const cause = reasons.asked ?? (looks ? reasons.marked : undefined);
    return { ...reasons, masqueraded: cause ? [cause, place] : [place] };
  }
  if (kind !== "mark") return reasons;
  if ((state.mark & ~before.mark) !== 0) return { ...reasons, marked: callerOf(at) ?? place };
  return reasons.marked ? { ...reasons, asked: reasons.marked } : reasons;
}

/** The rule that led into the chain: one that only marks is there for others to jump to. */
function callerOf({ walk, frame: { caller } }: Met): RulePlace | undefined {
  const rule = caller?.frame.rules[caller.index];
  return caller && rule && placeOf(walk, caller, rule);
}

function step({ walk, place }: Met, branch: Branch, what: string): Branch {
  return walk.recorder.step(branch, place, what);
}

function end({ walk }: Met, branch: Branch, outcome: Outcome): void {
  walk.recorder.end(branch, outcome);
}
