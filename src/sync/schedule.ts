// When does a pass run?

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

/** Milliseconds between passes: the least gap behind one, the wait after a failure, the wait when nothing happens. */
export interface Periods {
  readonly least: number;
  readonly retry: number;
  readonly full: number;
}

/**
 * Runs one thing at a time: at once when asked, but no sooner than `least` after the last run ended; again after
 * `retry` when a run failed; and after `full` when nobody asks. Requests during a run or a gap become one run. This is
 * the timing of kube-proxy's bounded frequency runner.
 */
export class Schedule {
  readonly #clock: Clock;
  readonly #periods: Periods;
  /** Resolves to whether it went well; a rejection is a fault of ours and is not caught here. */
  readonly #run: () => Promise<boolean>;
  #cancel: () => void = () => {};
  #running: Promise<void> | undefined;
  #asked = false;
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
    this.#wake(this.#asked ? least : well ? full : Math.min(retry, full));
  }
}
