// Computes the share of packets that each random rule of a chain takes.
import { printShare } from "../trace/probability.ts";
import type { RuleText } from "./rule-text.ts";

/** All packets. Far finer than the kernel draws: exact fractions would grow with every rule. */
export const WHOLE = 2n ** 128n;

/** The kernel compares one of 2^31 numbers. */
const DRAWS = 2 ** 31;

/**
 * For each rule the part that it gets of the packets that no rule but random ones keeps, of a chain that `whole` of all
 * come to; undefined for one that leaves nothing to chance. What chance left takes the rule that asks for nothing more.
 */
export function partsOf(rules: readonly RuleText[], whole: bigint): readonly (bigint | undefined)[] {
  let left = whole;
  return rules.map(({ probability, conditions, protocol, seenWithin }) => {
    if (probability === undefined) {
      const asksNothing = conditions.every((condition) => condition === protocol);
      return left < WHOLE && asksNothing && seenWithin === undefined ? left : undefined;
    }
    const taken = (left * BigInt(Math.round(probability * DRAWS))) / BigInt(DRAWS);
    left -= taken;
    return taken;
  });
}

/** The same as a picture tells it. */
export function sharesOf(rules: readonly RuleText[], whole = WHOLE): readonly (string | undefined)[] {
  return partsOf(rules, whole).map((top) => (top === undefined ? undefined : printShare({ top, bottom: WHOLE })));
}
