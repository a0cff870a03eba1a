// How does a server get its port in the end, when the port is not to be had now?
import type { Clock } from "../sync/schedule.ts";
import type { Listening } from "./http-server.ts";

/** Milliseconds between two attempts, as kube-proxy waits. */
const PAUSE = 5_000;

export interface BindingInput {
  readonly open: () => Promise<Listening>;
  /** Told of every attempt that failed. */
  readonly refused: (error: unknown) => void;
  readonly clock: Clock;
}

/** Tries until it listens or is closed. */
export class Binding {
  readonly #input: BindingInput;
  #attempt: Promise<void> = Promise.resolve();
  #listening: Listening | undefined;
  #cancel: () => void = () => {};
  #closed = false;

  constructor(input: BindingInput) {
    this.#input = input;
  }

  /** Resolves after the first attempt, however it went: true when it listens. */
  async start(): Promise<boolean> {
    this.#attempt = this.#try();
    await this.#attempt;
    return this.#listening !== undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel();
    await this.#attempt;
    await this.#listening?.close();
  }

  async #try(): Promise<void> {
    try {
      this.#listening = await this.#input.open();
    } catch (error) {
      this.#input.refused(error);
      if (this.#closed) return;
      this.#cancel = this.#input.clock.after(PAUSE, () => {
        this.#attempt = this.#try();
      });
    }
  }
}
