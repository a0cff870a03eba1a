// Which probability is written as `1/3`, `33.3 %` or `0.333`?

export interface Probability {
  /** From 0 to 1. */
  readonly value: number;
  /** How far from it another one may be and yet be meant by it: half of the last digit that was written. */
  readonly tolerance: number;
  /** As it was written. */
  readonly text: string;
}

/** The kernel draws one of 2^31 numbers, several times where there are several endpoints. */
const LEAST_TOLERANCE = 1e-6;

const FRACTION = /^(\d{1,9})\/(\d{1,9})$/;
const DECIMAL = /^(\d{1,3}(?:\.(\d{1,15}))?) ?(%)?$/;

/** Undefined for what is none. */
export function readProbability(text: string): Probability | undefined {
  const [, top, bottom] = FRACTION.exec(text) ?? [];
  if (top !== undefined) return between(text, Number(top) / Number(bottom), LEAST_TOLERANCE);
  const [, digits, decimals = "", percent] = DECIMAL.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const unit = percent === undefined ? 1 : 100;
  const exact = decimals === "" && percent === undefined;
  const half = exact ? 0 : 0.5 / 10 ** decimals.length / unit;
  return between(text, Number(digits) / unit, Math.max(half, LEAST_TOLERANCE));
}

function between(text: string, value: number, tolerance: number): Probability | undefined {
  return value >= 0 && value <= 1 ? { text, value, tolerance } : undefined;
}
