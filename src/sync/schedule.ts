// Decides when a sync runs: at once when asked, after a minimum interval, after failures, and periodically.

/** Time, handed in so that tests need not wait. Milliseconds. */
export interface Clock {
  now(): number;
  /** Calls back once, so much later; the answer takes that back. */
  after(delay: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after: (delay, callback) => {
    const timer = setTimeout(callback, delay);
    return () => clearTimeout(timer);
  },
};

/** Milliseconds between syncs: the minimum interval, the longest wait after failures, the wait when nothing happens. */
export interface Periods {
  readonly least: number;
  readonly retry: number;
  readonly full: number;
}

/** Milliseconds until the first retry after a failure; each further failure in a row doubles it. */
const FIRST_RETRY = 1_000;

/**
 * Runs one thing at a time: at once when asked, but no sooner than `least` after the last run ended; again 1 s, 2 s, 4 s …
 * up to `retry` after a failure; and after `full` without a request. Requests during a run or an interval become one run.
 * This is the timing of kube-proxy's bounded frequency runner, which waits as long as `retry` after every failure.
 */
export class Schedule {
  readonly #clock: Clock;
  readonly #periods: Periods;
  /** Resolves to whether it went well; a rejection is a fault of ours and is not caught here. */
  readonly #run: () => Promise<boolean>;
  #cancel: () => void = () => {};
  #running: Promise<void> | undefined;
  #asked = false;
  /** Runs that failed, one after the other. */
  #failures = 0;
  #readyAt = Number.NEGATIVE_INFINITY;
  #stopped = false;

  constructor(run: () => Promise<boolean>, periods: Periods, clock: Clock) {
    this.#run = run;
    this.#periods = periods;
    this.#clock = clock;
  }

  /** Asks for a run, soon. */
  request(): void {
    this.#asked = true;
    if (!this.#running) this.#wake(Math.max(0, this.#readyAt - this.#clock.now()));
  }

  /** No further run begins; resolves when the present one is over. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    await this.#running;
  }

  #wake(delay: number): void {
    if (this.#stopped) return;
    this.#cancel();
    this.#cancel = this.#clock.after(delay, () => {
      this.#running = this.#turn();
    });
  }

  async #turn(): Promise<void> {
    this.#asked = false;
    const well = await this.#run();
    this.#running = undefined;
    const { least, retry, full } = this.#periods;
    this.#readyAt = this.#clock.now() + least;
    this.#failures = well ? 0 : this.#failures + 1;
    const wait = well ? full : Math.min(FIRST_RETRY * 2 ** (this.#failures - 1), retry, full);
    this.#wake(this.#asked ? least : Math.max(least, wait));
  }
}
