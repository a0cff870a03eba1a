// Computes retry delays that double with jitter up to a maximum.
import type { Timing } from "./timing.ts";

const FACTOR = 2;

/** A series of growing delays. Each is between half of its nominal value and the whole of it. */
export class BackOff {
  readonly #timing: Timing;
  readonly #first: number;
  #nominal: number;

  /** `first`: nominal milliseconds of the first delay. */
  constructor(timing: Timing, first: number) {
    this.#timing = timing;
    this.#first = first;
    this.#nominal = first;
  }

  /** Milliseconds to wait now, never more than `max`. */
  next(max: number): number {
    const nominal = Math.min(this.#nominal, max);
    this.#nominal = nominal * FACTOR;
    return nominal * (0.5 + 0.5 * this.#timing.random());
  }

  /** Starts the series again. */
  reset(): void {
    this.#nominal = this.#first;
  }
}
