// Was an answer silent for too long?
import type { Timing } from "./timing.ts";

/** Ends a request when its owner does, or when nothing was heard for too long. */
export class SilenceWatch {
  readonly #timing: Timing;
  readonly #silence: number;
  readonly #owner: AbortSignal;
  readonly #request = new AbortController();
  readonly #stopped = () => this.#end(new Error("stopped"));
  #reason: Error | undefined;
  #cancel = () => {};

  constructor(timing: Timing, silence: number, owner: AbortSignal) {
    this.#timing = timing;
    this.#silence = silence;
    this.#owner = owner;
    owner.addEventListener("abort", this.#stopped);
    if (owner.aborted) this.#stopped();
    this.heard();
  }

  /** Aborted when the request is to end. */
  get signal(): AbortSignal {
    return this.#request.signal;
  }

  /** Why the request is to end; undefined while it is not. */
  get reason(): Error | undefined {
    return this.#reason;
  }

  /** Something came: patience begins anew. */
  heard(): void {
    this.#cancel();
    this.#cancel = this.#timing.after(this.#silence, () => {
      this.#end(new Error(`nothing came for ${this.#silence / 1000} s`));
    });
  }

  stop(): void {
    this.#cancel();
    this.#owner.removeEventListener("abort", this.#stopped);
  }

  #end(reason: Error): void {
    this.#reason ??= reason;
    this.#request.abort(reason);
  }
}
