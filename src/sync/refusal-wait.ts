// How long is what the kernel refused done without?

/** Milliseconds: doubled each time, from the first to the last. */
const FIRST = 30_000;
const LAST = 600_000;

/** Milliseconds until the next try; `before`: how long it was the last time, if it was refused before. */
export function waitAfter(before: number | undefined): number {
  return before === undefined ? FIRST : Math.min(2 * before, LAST);
}
