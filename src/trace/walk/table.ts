// Walks a packet through one table at one hook.

import { evaluateRule } from "../match/evaluate.ts";
import type { MatchResult } from "../match/match-result.ts";
import { type PacketState, printHostPort } from "../packet.ts";
import { ALWAYS, type Fraction, fraction, rest, times } from "../probability.ts";
import type { ParsedRule } from "../rule/rule.ts";
import type { RuleLocation, Verdict } from "../trace.ts";
import { applyTarget, type Effect } from "./apply-target.ts";
import { type Branch, Branches, type Reasons, type Recorder } from "./branches.ts";
import { type Caller, enterChain, enterHook, type Frame, locationOf, parsedRule, type TableVisit } from "./chain.ts";
import { TableVerdicts } from "./verdicts.ts";

/** The state of the walk through one table. */
interface Walk extends TableVisit {
  readonly recorder: Recorder;
  readonly verdicts: TableVerdicts;
  readonly accepted: Branches;
}

/** A rule that some branches match. */
interface RuleVisit extends Caller {
  readonly walk: Walk;
  readonly place: RuleLocation;
  readonly parsed: ParsedRule;
}

/** Returns the branches that the table accepts; records the outcomes of the others. */
export function walkTable(visit: TableVisit, branches: Branches, recorder: Recorder): Branches {
  const frame = enterHook(visit);
  if (frame === undefined || branches.size === 0) return branches;
  const walk = { ...visit, recorder, verdicts: new TableVerdicts(visit), accepted: new Branches() };
  for (const branch of walkChain(walk, frame, branches)) {
    if (visit.policy === "ACCEPT") walk.accepted.add(branch);
    else recorder.recordOutcome(branch, { kind: "policy", hook: visit.context.hook, table: visit.context.table });
  }
  return walk.accepted;
}

/** Returns the branches that return from the chain. */
function walkChain(walk: Walk, frame: Frame, entering: Branches): Branches {
  const here = new Branches(entering);
  const back = new Branches();
  for (const [index, rule] of frame.rules.entries()) {
    if (here.size === 0) break;
    const parsed = parsedRule(rule);
    const met = [...matchBranches(walk, parsed, here)];
    if (met.length === 0) continue;
    const at = { walk, frame, index, parsed, place: locationOf(walk, { frame, index }, rule) };
    for (const [branch] of met) here.remove(branch);
    applyRule(at, [...splitByResult(at, met, here)], { here, back });
  }
  for (const branch of here) back.add(branch);
  return back;
}

type MatchedBranch = readonly [branch: Branch, result: Exclude<MatchResult, { kind: "no match" }>];

function* matchBranches({ context }: Walk, parsed: ParsedRule, here: Branches): Iterable<MatchedBranch> {
  for (const branch of here) {
    const result = evaluateRule(parsed, branch.state, context);
    if (result.kind !== "no match") yield [branch, result];
  }
}

/** Yields the branches that match; those that do not, or the remaining probability, stay in the chain. */
function* splitByResult(
  { walk, place, frame, index, parsed }: RuleVisit,
  met: readonly MatchedBranch[],
  here: Branches,
): Iterable<Branch> {
  for (const [branch, result] of met) {
    if (result.kind === "match") {
      yield branch;
    } else if (result.kind === "probability") {
      here.add({ ...branch, probability: times(branch.probability, rest(result.probability)) });
      yield { ...branch, probability: times(branch.probability, result.probability) };
    } else if (walk.verdicts.sameVerdictEitherWay({ frame, index }, parsed, branch.state)) {
      here.add(branch);
    } else {
      walk.recorder.recordOutcome(branch, { kind: "unknown", by: place, reason: result.reason });
    }
  }
}

/** Where branches continue after a rule: in this chain, or in the calling chain. */
interface ChainExits {
  readonly here: Branches;
  readonly back: Branches;
}

function applyRule(at: RuleVisit, taken: readonly Branch[], ways: ChainExits): void {
  const { walk, parsed } = at;
  const entering = new Branches();
  let lead: EnterEffect | undefined;
  for (const branch of taken) {
    const effect = applyTarget(parsed, branch.state, walk.context);
    if (effect.kind === "enter") {
      lead = effect;
      entering.add(recordStep(at, branch, `jumps to ${effect.chain}`));
    } else {
      applyEffect(at, branch, effect, ways);
    }
  }
  if (lead !== undefined) enter(at, lead, { ...ways, entering });
}

type EnterEffect = Extract<Effect, { kind: "enter" }>;

/** Enters a chain with all branches at once, so that it is walked only once per rule. */
function enter(
  at: RuleVisit,
  lead: EnterEffect,
  { here, back, entering }: ChainExits & { readonly entering: Branches },
): void {
  const entered = enterChain(at.walk, at, lead);
  if (typeof entered === "string") {
    for (const branch of entering) recordOutcome(at, branch, { kind: "unknown", by: at.place, reason: entered });
    return;
  }
  const returned = walkChain(at.walk, entered, entering);
  for (const branch of returned) (lead.back ? here : back).add(branch);
}

function applyEffect(
  at: RuleVisit,
  branch: Branch,
  effect: Exclude<Effect, { kind: "enter" }>,
  { here, back }: ChainExits,
): void {
  const by = at.place;
  switch (effect.kind) {
    case "on":
      here.add(withState(at, recordStep(at, branch, effect.what), effect.state));
      break;
    case "return":
      back.add(recordStep(at, branch, "returns"));
      break;
    case "accept":
      accept(at, branch, effect);
      break;
    case "drop":
      recordOutcome(at, recordStep(at, branch, "dropped"), { kind: "dropped", by });
      break;
    case "reject":
      recordOutcome(at, recordStep(at, branch, "rejected"), { kind: "rejected", by, answer: effect.answer });
      break;
    case "stop":
      recordOutcome(at, branch, { kind: "unknown", by, reason: effect.reason });
  }
}

/**
 * If the kernel chooses among several states, equal probabilities are placeholders and the branches are marked as
 * possible.
 */
function accept(at: RuleVisit, branch: Branch, { states, what }: Extract<Effect, { kind: "accept" }>): void {
  const probability: Fraction = states.length === 1 ? ALWAYS : fraction(1, states.length);
  for (const state of states) {
    const one = {
      ...branch,
      probability: times(branch.probability, probability),
      possible: branch.possible || states.length > 1,
    };
    at.walk.accepted.add(withState(at, recordStep(at, one, `${what}${describeTranslation(what, state)}`), state));
  }
}

function describeTranslation(what: string, state: PacketState): string {
  if (what === "destination becomes") return ` ${printHostPort(state.destination.text, state.destinationPort)}`;
  return what === "source becomes" ? ` ${state.source?.text ?? "the node's address"}` : "";
}

/** The branch with its new state and the rules that caused it. */
function withState(at: RuleVisit, branch: Branch, state: PacketState): Branch {
  return { ...branch, state, reasons: reasonsAfter(at, branch, state) };
}

function reasonsAfter(at: RuleVisit, { reasons, state: before }: Branch, state: PacketState): Reasons {
  const { place, parsed } = at;
  const { kind } = parsed.target;
  if (kind === "dnat" || kind === "redirect") return { ...reasons, translated: place };
  if (kind === "masquerade" || kind === "snat") {
    const looks = parsed.matches.some((match) => match.kind === "mark" && !match.not);
    const cause = reasons.matchedMark ?? (looks ? reasons.marked : undefined);
    return { ...reasons, masqueraded: cause ? [cause, place] : [place] };
  }
  if (kind !== "mark") return reasons;
  if ((state.mark & ~before.mark) !== 0) return { ...reasons, marked: callerOf(at) ?? place };
  return reasons.marked ? { ...reasons, matchedMark: reasons.marked } : reasons;
}

/** The rule that jumped to the chain: a chain that only sets a mark says nothing about the reason. */
function callerOf({ walk, frame: { caller } }: RuleVisit): RuleLocation | undefined {
  const rule = caller?.frame.rules[caller.index];
  return caller && rule && locationOf(walk, caller, rule);
}

function recordStep({ walk, place }: RuleVisit, branch: Branch, what: string): Branch {
  return walk.recorder.recordStep(branch, place, what);
}

function recordOutcome({ walk }: RuleVisit, branch: Branch, outcome: Verdict): void {
  walk.recorder.recordOutcome(branch, outcome);
}
