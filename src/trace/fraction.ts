// How are probabilities reckoned with, so that nothing is rounded on the way?

/** `top` / `bottom`, not necessarily in lowest terms: two of the same value may be written differently. */
export interface Fraction {
  readonly top: bigint;
  /** Above 0. */
  readonly bottom: bigint;
}

export const NEVER: Fraction = { top: 0n, bottom: 1n };
export const ALWAYS: Fraction = { top: 1n, bottom: 1n };

/** Whole numbers: `fraction(1, 3)` is a third. */
export function fraction(top: number, bottom: number): Fraction {
  return { top: BigInt(top), bottom: BigInt(bottom) };
}

export function times(one: Fraction, other: Fraction): Fraction {
  return { top: one.top * other.top, bottom: one.bottom * other.bottom };
}

/** Sums of shares of the same thousand endpoints have bottoms that divide one another: those are not made longer. */
export function plus(one: Fraction, other: Fraction): Fraction {
  if (one.bottom < other.bottom) return plus(other, one);
  const { top, bottom } = one;
  if (bottom % other.bottom === 0n) return { top: top + other.top * (bottom / other.bottom), bottom };
  return { top: top * other.bottom + other.top * bottom, bottom: bottom * other.bottom };
}

/** What is left of the whole. */
export function rest({ top, bottom }: Fraction): Fraction {
  return { top: bottom - top, bottom };
}

/** The nearest number. Shares of thousands of endpoints have terms far beyond what a number holds. */
export function numberOf({ top, bottom }: Fraction): number {
  return Number((top << 96n) / bottom) / 2 ** 96;
}
