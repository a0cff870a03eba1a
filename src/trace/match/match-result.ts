// Defines the result of evaluating a match: match, no match, unknown, or a probability.
import { type Fraction, rest, times } from "../probability.ts";

export type Judgement =
  | { readonly kind: "holds" }
  | { readonly kind: "fails" }
  /** For this share of the packets it holds; whom it concerns is drawn by lot. */
  | { readonly kind: "chance"; readonly share: Fraction }
  /** Says what is missing. */
  | { readonly kind: "unknown"; readonly reason: string };

export const HOLDS: Judgement = { kind: "holds" };

export const FAILS: Judgement = { kind: "fails" };

export function unknown(reason: string): Judgement {
  return { kind: "unknown", reason };
}

export function judged(holds: boolean): Judgement {
  return holds ? HOLDS : FAILS;
}

/** The answer to the opposite question, where `not` asks for it. */
export function negated(judgement: Judgement, not: boolean): Judgement {
  if (!not) return judgement;
  switch (judgement.kind) {
    case "holds":
      return FAILS;
    case "fails":
      return HOLDS;
    case "chance":
      return { kind: "chance", share: rest(judgement.share) };
    case "unknown":
      return judgement;
  }
}

/** All of them must hold: one that fails settles it, whatever is unknown of the others. */
export function both(one: Judgement, other: Judgement): Judgement {
  if (one.kind === "fails" || other.kind === "holds") return one;
  if (other.kind === "fails" || one.kind === "holds") return other;
  if (one.kind === "unknown") return one;
  return other.kind === "unknown" ? other : { kind: "chance", share: times(one.share, other.share) };
}

/** The same answer for each of several: for some of them another one is no answer. */
export function agreed(answers: readonly boolean[], reason: string): Judgement {
  const [first] = answers;
  return first !== undefined && answers.every((answer) => answer === first) ? judged(first) : unknown(reason);
}
