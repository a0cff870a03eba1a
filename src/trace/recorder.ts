// Records the rules that a traced packet matched and its outcomes.
import { type Branch, joinedSteps } from "./branch.ts";
import { plus } from "./fraction.ts";
import type { End, Outcome, RulePlace, ServerPlace, Step } from "./trace.ts";

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
    this.#ends.set(key, other ? joined(other, end) : end);
  }

  get ends(): readonly End[] {
    return [...this.#ends.values()];
  }
}

function joined(one: End, other: End): End {
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
