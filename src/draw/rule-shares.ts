// Which share of the packets that come to a chain is taken by each of its random rules?
import type { Fraction } from "../trace/fraction.ts";
import { printShare } from "../trace/share.ts";
import type { RuleText } from "./rule-text.ts";

/** Far finer than the kernel draws: exact fractions would grow with every rule. */
const WHOLE = 2n ** 128n;

/** The kernel compares one of 2^31 numbers. */
const DRAWS = 2 ** 31;

/**
 * For each rule the share that it gets of the packets that no rule but random ones keeps; undefined for one that leaves
 * nothing to chance. Behind random rules, one that asks for nothing takes what is left.
 */
export function sharesOf(rules: readonly RuleText[]): readonly (string | undefined)[] {
  let left = WHOLE;
  return rules.map(({ probability, conditions, seenWithin }) => {
    if (probability === undefined) {
      const isRest = left < WHOLE && conditions.length === 0 && seenWithin === undefined;
      return isRest ? printShare(ofWhole(left)) : undefined;
    }
    const taken = (left * BigInt(Math.round(probability * DRAWS))) / BigInt(DRAWS);
    left -= taken;
    return printShare(ofWhole(taken));
  });
}

function ofWhole(top: bigint): Fraction {
  return { top, bottom: WHOLE };
}
