// Tracks the possible states of a packet and records their steps and outcomes.

import type { PacketState } from "../packet.ts";
import { type Fraction, plus } from "../probability.ts";
import type { End, Outcome, RulePlace, ServerPlace, Step } from "../trace.ts";

/** What the rest of the way does not depend on, and yet is to be told at its end. */
export interface Reasons {
  /** The rule that the mark was set for. */
  readonly marked?: RulePlace;
  /** The same, from when the mark was looked at and taken off again. */
  readonly asked?: RulePlace;
  readonly translated?: RulePlace | ServerPlace;
  readonly masqueraded?: readonly RulePlace[];
}

/** One possibility. */
export interface Branch {
  readonly state: PacketState;
  readonly share: Fraction;
  readonly possible: boolean;
  /** The steps that led here last. */
  readonly before: readonly Step[];
  readonly reasons: Reasons;
}

/** Possibilities at one place. Those that have the same future are one. */
export class Branches implements Iterable<Branch> {
  readonly #byState = new Map<string, Branch>();

  constructor(branches: Iterable<Branch> = []) {
    for (const branch of branches) this.add(branch);
  }

  get size(): number {
    return this.#byState.size;
  }

  /** Reasons are those of the first that came. */
  add(branch: Branch): void {
    const { key } = branch.state;
    const other = this.#byState.get(key);
    this.#byState.set(key, other ? joinedBranches(other, branch) : branch);
  }

  remove({ state }: Branch): void {
    this.#byState.delete(state.key);
  }

  [Symbol.iterator](): Iterator<Branch> {
    return this.#byState.values();
  }
}

function joinedBranches(one: Branch, other: Branch): Branch {
  return {
    ...one,
    share: plus(one.share, other.share),
    possible: one.possible || other.possible,
    before: joinedSteps(one.before, other.before),
  };
}

/** Each step once. */
function joinedSteps(one: readonly Step[], other: readonly Step[]): readonly Step[] {
  return [...new Set([...one, ...other])];
}

/** Steps and ends of one walk. */
export class Recorder {
  readonly steps: Step[] = [];
  readonly #ends = new Map<string, End>();

  /** The branch, with one more step behind it. */
  step(branch: Branch, at: RulePlace | ServerPlace, what: string): Branch {
    const step = { at, what, share: branch.share, before: branch.before };
    this.steps.push(step);
    return { ...branch, before: [step] };
  }

  /** Equal ends are one. */
  end({ share, possible, before }: Branch, outcome: Outcome): void {
    const key = keyOf(outcome);
    const end = { outcome, share, possible, last: before };
    const other = this.#ends.get(key);
    this.#ends.set(key, other ? joinedOutcomes(other, end) : end);
  }

  get ends(): readonly End[] {
    return [...this.#ends.values()];
  }
}

function joinedOutcomes(one: End, other: End): End {
  return {
    outcome: one.outcome,
    share: plus(one.share, other.share),
    possible: one.possible || other.possible,
    last: joinedSteps(one.last, other.last),
  };
}

/** Rules are told apart by where they stand, not by their text. */
function keyOf(outcome: Outcome): string {
  if (outcome.kind === "delivered") {
    const { where, to, source, translatedBy, masqueradedBy } = outcome;
    return JSON.stringify([where, to.address, to.port, source, translatedBy !== undefined, masqueradedBy.length > 0]);
  }
  if (outcome.kind === "policy") return JSON.stringify([outcome.kind, outcome.hook, outcome.table]);
  const reason = outcome.kind === "unknown" ? outcome.reason : "";
  return JSON.stringify([outcome.kind, reason, outcome.by && placeKey(outcome.by)]);
}

function placeKey(place: RulePlace | ServerPlace): unknown {
  return "server" in place ? [place.hook, place.server] : [place.hook, place.table, place.chain, place.number];
}
