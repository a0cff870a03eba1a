// A source that says what a test tells it to, when it tells it to.
import type { Batch, Change } from "../../src/source/source.ts";

export class HandSource {
  readonly #batches: Batch[] = [];
  #wake = () => {};
  #ended = false;
  /** Its reader is done with it. */
  closed = false;

  say(...changes: readonly Change[]): void {
    this.#batches.push({ changes, problems: [], passedOver: [] });
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *read(): AsyncGenerator<Batch, void, undefined> {
    try {
      for (;;) {
        const batch = this.#batches.shift();
        if (batch) yield batch;
        else if (this.#ended) return;
        else
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
      }
    } finally {
      this.closed = true;
    }
  }
}
