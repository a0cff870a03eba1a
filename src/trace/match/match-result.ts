// Defines the result of evaluating a match: match, no match, unknown, or a probability.
import { type Fraction, rest, times } from "../probability.ts";

export type MatchResult =
  | { readonly kind: "match" }
  | { readonly kind: "no match" }
  /** Matches at random with this probability. */
  | { readonly kind: "probability"; readonly probability: Fraction }
  /** The reason names what is missing. */
  | { readonly kind: "unknown"; readonly reason: string };

export const MATCH: MatchResult = { kind: "match" };

export const NO_MATCH: MatchResult = { kind: "no match" };

export function unknown(reason: string): MatchResult {
  return { kind: "unknown", reason };
}

export function matchIf(holds: boolean): MatchResult {
  return holds ? MATCH : NO_MATCH;
}

/** The inverted result, if `not` is set. */
export function negated(result: MatchResult, not: boolean): MatchResult {
  if (!not) return result;
  switch (result.kind) {
    case "match":
      return NO_MATCH;
    case "no match":
      return MATCH;
    case "probability":
      return { kind: "probability", probability: rest(result.probability) };
    case "unknown":
      return result;
  }
}

/** The result of two matches of one rule: no match if either does not match, even if the other is unknown. */
export function both(one: MatchResult, other: MatchResult): MatchResult {
  if (one.kind === "no match" || other.kind === "match") return one;
  if (other.kind === "no match" || one.kind === "match") return other;
  if (one.kind === "unknown") return one;
  return other.kind === "unknown"
    ? other
    : { kind: "probability", probability: times(one.probability, other.probability) };
}

/** The common result for several candidates; unknown if they differ. */
export function allEqual(answers: readonly boolean[], reason: string): MatchResult {
  const [first] = answers;
  return first !== undefined && answers.every((answer) => answer === first) ? matchIf(first) : unknown(reason);
}
