// How long to wait before a server that failed is asked again?
import type { Timing } from "./timing.ts";

const FIRST = 800;
const LONGEST = 30_000;
const FACTOR = 2;

/** After so long without a failure the next one is the first again. */
const QUIET = 120_000;

/** A server may ask for more patience than this; no more is granted, or a wrong clock could silence us for days. */
const MOST_PATIENCE = 300_000;

/** Growing delays with chance in them, as client-go's reflector has them: 0.8 s, doubled up to 30 s, each up to twice as long. */
export class BackOff {
  readonly #timing: Timing;
  #delay = FIRST;
  #last = Number.NEGATIVE_INFINITY;

  constructor(timing: Timing) {
    this.#timing = timing;
  }

  /** Milliseconds to wait now; at least what the server asked for, which is 0 where it did not. */
  next(asked: number): number {
    const now = this.#timing.now();
    if (now - this.#last > QUIET) this.#delay = FIRST;
    this.#last = now;
    const delay = this.#delay * (1 + this.#timing.random());
    this.#delay = Math.min(this.#delay * FACTOR, LONGEST);
    return Math.max(delay, Math.min(asked, MOST_PATIENCE));
  }
}
