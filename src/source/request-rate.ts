// Limits the rate of requests to the API server, as client-go does.
import { pause, type Timing } from "./timing.ts";

/** As in client-go: zero means 5 a second and 10 at once, a negative rate means no limit. */
export interface Rate {
  /** Requests a second. */
  readonly qps: number;
  /** Requests at once, after a rest. */
  readonly burst: number;
}

/** A bucket of tokens, one for a request, that fills up evenly. */
export class RequestRate {
  readonly #qps: number;
  readonly #burst: number;
  readonly #timing: Timing;
  #tokens: number;
  #since: number;

  constructor({ qps, burst }: Rate, timing: Timing) {
    this.#qps = qps === 0 ? 5 : qps;
    this.#burst = Math.max(1, burst === 0 ? 10 : burst);
    this.#timing = timing;
    this.#tokens = this.#burst;
    this.#since = timing.now();
  }

  /**
   * Returns when the request may go, in the order of asking, or as soon as the signal is aborted: the milliseconds that
   * this took.
   */
  async take(signal: AbortSignal): Promise<number> {
    if (this.#qps < 0) return 0;
    const now = this.#timing.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#since) / 1000) * this.#qps) - 1;
    this.#since = now;
    if (this.#tokens < 0) await pause(this.#timing, (-this.#tokens / this.#qps) * 1000, signal);
    return this.#timing.now() - now;
  }
}
