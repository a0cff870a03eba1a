// How does someone who waits at a terminal see that work goes on?
import type { Writable } from "node:stream";
import { escapeForeign } from "../api/quote.ts";

export interface Progress {
  /** What is being done now. May be called for every object and rule: `say` is only asked when it is shown. */
  show(say: () => string): void;
  /** Takes the line away, so that something else can be written in its place. */
  clear(): void;
}

/** For those who do not look. */
export const NO_PROGRESS: Progress = { show: () => {}, clear: () => {} };

/** Milliseconds of work before there is a line: what is done sooner needs none. */
const PATIENCE = 1000;

/** Milliseconds between two lines. */
const GAP = 100;

/** Characters of a line where a terminal does not tell how many it has. */
const WIDTH = 80;

/** Where lines go, and what tells the time. */
export interface ProgressMeans {
  readonly now?: () => number;
  readonly environment?: { readonly TERM?: string | undefined };
}

/** One line that is written over and over, on a terminal that can do so; nothing anywhere else. */
export function openProgress(
  stream: Writable,
  { now = () => performance.now(), environment = process.env }: ProgressMeans = {},
): Progress {
  const canRewrite = "isTTY" in stream && stream.isTTY === true && environment.TERM !== "dumb";
  return canRewrite ? new ProgressLine(stream, now) : NO_PROGRESS;
}

class ProgressLine implements Progress {
  readonly #stream: Writable;
  readonly #now: () => number;
  /** When the next line may be written. */
  #due: number;
  #shown = false;

  constructor(stream: Writable, now: () => number) {
    this.#stream = stream;
    this.#now = now;
    this.#due = now() + PATIENCE;
  }

  // Work does not let timers have their turn, so the line is written by whoever works.
  show(say: () => string): void {
    const now = this.#now();
    if (now < this.#due) return;
    this.#due = now + GAP;
    this.#shown = true;
    // In the last column a terminal may begin a new line, which could not be taken away.
    this.#stream.write(`\r${escapeForeign(say()).slice(0, this.#width() - 1)}\u001b[K`);
  }

  clear(): void {
    if (this.#shown) this.#stream.write("\r\u001b[K");
    this.#shown = false;
  }

  #width(): number {
    const stream = this.#stream;
    return "columns" in stream && typeof stream.columns === "number" && stream.columns > 0 ? stream.columns : WIDTH;
  }
}
