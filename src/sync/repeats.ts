// When is a record that comes over and over no longer said?

/** Milliseconds in which alike records are counted. */
export const WINDOW = 10_000;

/** Alike records that are said in a window; the rest becomes a number. */
export const MOST = 100;

interface Counted<T> {
  readonly first: T;
  count: number;
}

/** Calls back once, so many milliseconds later. */
export type Later = (delay: number, callback: () => void) => void;

/**
 * Lets the first hundred records of a kind through, and tells at the end of their ten seconds how many more there were.
 * Bad input can change a thousand times a second; the log, and who pays for it, shall not follow.
 */
export class Repeats<T> {
  readonly #later: Later;
  readonly #summarise: (first: T, leftOut: number) => void;
  readonly #open = new Map<string, Counted<T>>();

  constructor(later: Later, summarise: (first: T, leftOut: number) => void) {
    this.#later = later;
    this.#summarise = summarise;
  }

  /** The record when it is to be said; it is not even made when not. */
  admit(kind: string, make: () => T): T | undefined {
    const counted = this.#open.get(kind);
    if (!counted) return this.#begin(kind, make());
    counted.count++;
    return counted.count > MOST ? undefined : make();
  }

  #begin(kind: string, first: T): T {
    const counted = { first, count: 1 };
    this.#open.set(kind, counted);
    this.#later(WINDOW, () => {
      this.#open.delete(kind);
      if (counted.count > MOST) this.#summarise(first, counted.count - MOST);
    });
    return first;
  }
}
