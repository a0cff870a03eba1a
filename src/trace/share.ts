// How is a share shown, so that one of three endpoints is told to get a third?
import { type Fraction, numberOf } from "./fraction.ts";

/** Bits behind the point that are looked at: many more than the kernel has. */
const PRECISION = 96n;

/** The kernel draws one of 2^31 numbers: shares that are nearer to each other than this are meant to be the same. */
const RESOLUTION = 1n << (PRECISION - 31n);

/** Fractions with a larger bottom lie so close together that one of them is near to anything. */
const LARGEST_BOTTOM = 10_000n;

/** `1/3 (33.3 %)`; where there is no small fraction that it stands for, `12.3 %` alone. */
export function printShare(share: Fraction): string {
  const small = smallFraction(share);
  if (small === undefined) return printPercent(numberOf(share));
  const percent = printPercent(numberOf(small));
  return small.bottom === 1n ? percent : `${small.top}/${small.bottom} (${percent})`;
}

/** The fraction with the smallest bottom within the kernel's resolution; undefined where nobody would have meant it. */
export function smallFraction({ top, bottom }: Fraction): Fraction | undefined {
  const share = (top << PRECISION) / bottom;
  if (share <= RESOLUTION) return top === 0n ? { top: 0n, bottom: 1n } : undefined;
  const whole = 1n << PRECISION;
  const found = simplest({ top: share - RESOLUTION, bottom: whole }, { top: share + RESOLUTION, bottom: whole });
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
function printPercent(share: number): string {
  return `${Number((share * 100).toPrecision(3))} %`;
}
