// Tracks the possible states of a packet and records their steps and outcomes.

import type { PacketState } from "../packet.ts";
import { type Fraction, plus } from "../probability.ts";
import type { Outcome, RuleLocation, ServerLocation, Step, Verdict } from "../trace.ts";

/** Rules that are reported with the outcome; they do not influence the walk. */
export interface Reasons {
  /** The rule that caused the mark to be set. */
  readonly marked?: RuleLocation;
  /** The same rule, after a rule matched and cleared the mark. */
  readonly matchedMark?: RuleLocation;
  readonly translated?: RuleLocation | ServerLocation;
  readonly masqueraded?: readonly RuleLocation[];
}

/** One possible state of the packet, with its probability. */
export interface Branch {
  readonly state: PacketState;
  readonly probability: Fraction;
  readonly possible: boolean;
  /** The last steps before this state. */
  readonly previous: readonly Step[];
  readonly reasons: Reasons;
}

/** Branches at one point of the walk. Branches with equal states are merged. */
export class Branches implements Iterable<Branch> {
  readonly #byState = new Map<string, Branch>();

  constructor(branches: Iterable<Branch> = []) {
    for (const branch of branches) this.add(branch);
  }

  get size(): number {
    return this.#byState.size;
  }

  /** Merged branches keep the reasons of the first. */
  add(branch: Branch): void {
    const { key } = branch.state;
    const other = this.#byState.get(key);
    this.#byState.set(key, other ? mergeBranches(other, branch) : branch);
  }

  remove({ state }: Branch): void {
    this.#byState.delete(state.key);
  }

  [Symbol.iterator](): Iterator<Branch> {
    return this.#byState.values();
  }
}

function mergeBranches(one: Branch, other: Branch): Branch {
  return {
    ...one,
    probability: plus(one.probability, other.probability),
    possible: one.possible || other.possible,
    previous: mergeSteps(one.previous, other.previous),
  };
}

/** Each step once. */
function mergeSteps(one: readonly Step[], other: readonly Step[]): readonly Step[] {
  return [...new Set([...one, ...other])];
}

/** Records the steps and outcomes of one walk. */
export class Recorder {
  readonly steps: Step[] = [];
  readonly #outcomes = new Map<string, Outcome>();

  /** Returns the branch with one more step. */
  recordStep(branch: Branch, at: RuleLocation | ServerLocation, what: string): Branch {
    const step = { at, what, probability: branch.probability, previous: branch.previous };
    this.steps.push(step);
    return { ...branch, previous: [step] };
  }

  /** Merges equal outcomes. */
  recordOutcome({ probability, possible, previous }: Branch, verdict: Verdict): void {
    const key = verdictKey(verdict);
    const outcome = { verdict, probability, possible, lastSteps: previous };
    const other = this.#outcomes.get(key);
    this.#outcomes.set(key, other ? mergeOutcomes(other, outcome) : outcome);
  }

  get outcomes(): readonly Outcome[] {
    return [...this.#outcomes.values()];
  }
}

function mergeOutcomes(one: Outcome, other: Outcome): Outcome {
  return {
    verdict: one.verdict,
    probability: plus(one.probability, other.probability),
    possible: one.possible || other.possible,
    lastSteps: mergeSteps(one.lastSteps, other.lastSteps),
  };
}

/** Rules are identified by their position, not by their text. */
function verdictKey(verdict: Verdict): string {
  if (verdict.kind === "delivered") {
    const { where, to, source, translatedBy, masqueradedBy } = verdict;
    return JSON.stringify([where, to.address, to.port, source, translatedBy !== undefined, masqueradedBy.length > 0]);
  }
  if (verdict.kind === "policy") return JSON.stringify([verdict.kind, verdict.hook, verdict.table]);
  const reason = verdict.kind === "unknown" ? verdict.reason : "";
  return JSON.stringify([verdict.kind, reason, verdict.by && locationKey(verdict.by)]);
}

function locationKey(place: RuleLocation | ServerLocation): unknown {
  return "server" in place ? [place.hook, place.server] : [place.hook, place.table, place.chain, place.number];
}
