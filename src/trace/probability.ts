// Computes and prints probabilities as exact fractions.

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

/** The complement: 1 minus the probability. */
export function rest({ top, bottom }: Fraction): Fraction {
  return { top: bottom - top, bottom };
}

/** The nearest number. Shares of thousands of endpoints have terms far beyond what a number holds. */
export function numberOf({ top, bottom }: Fraction): number {
  return Number((top << 96n) / bottom) / 2 ** 96;
}

/** Bits behind the point that are looked at: many more than the kernel has. */
const PRECISION = 96n;

/** The kernel draws one of 2^31 numbers: shares that are nearer to each other than this are meant to be the same. */
const RESOLUTION = 1n << (PRECISION - 31n);

/** Fractions with a larger bottom lie so close together that one of them is near to anything. */
const LARGEST_BOTTOM = 10_000n;

/** `1/3 (33.3 %)`; without a simple fraction close enough, `12.3 %` alone. */
export function printShare(probability: Fraction): string {
  const small = smallFraction(probability);
  if (small === undefined) return printPercent(numberOf(probability));
  const percent = printPercent(numberOf(small));
  return small.bottom === 1n ? percent : `${small.top}/${small.bottom} (${percent})`;
}

/** The fraction with the smallest bottom within the kernel's resolution; undefined if there is no simple one. */
export function smallFraction({ top, bottom }: Fraction): Fraction | undefined {
  const probability = (top << PRECISION) / bottom;
  if (probability <= RESOLUTION) return top === 0n ? { top: 0n, bottom: 1n } : undefined;
  const whole = 1n << PRECISION;
  const found = simplest(
    { top: probability - RESOLUTION, bottom: whole },
    { top: probability + RESOLUTION, bottom: whole },
  );
  return found.bottom > LARGEST_BOTTOM ? undefined : found;
}

/** Of all fractions from `low` to `high` the one with the smallest bottom: the first terms are those of both. */
function simplest(low: Fraction, high: Fraction): Fraction {
  const floor = low.top / low.bottom;
  if (floor * low.bottom === low.top) return { top: floor, bottom: 1n };
  if ((floor + 1n) * high.bottom <= high.top) return { top: floor + 1n, bottom: 1n };
  const upper = { top: low.bottom, bottom: low.top - floor * low.bottom };
  const lower = { top: high.bottom, bottom: high.top - floor * high.bottom };
  const { top, bottom } = simplest(lower, upper);
  return { top: floor * top + bottom, bottom: top };
}

/** Three digits that count. */
function printPercent(probability: number): string {
  return `${Number((probability * 100).toPrecision(3))} %`;
}
