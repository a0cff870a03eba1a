// How long something that the kernel rejected is left out before it is tried again.

/** Milliseconds until the first retry; doubled each time, up to five minutes. */
export const FIRST_RETRY = 2_000;
const LAST_RETRY = 300_000;

/** Milliseconds until the next try; `before`: how long it was the last time, if it was rejected before. */
export function waitAfter(before: number | undefined): number {
  return before === undefined ? FIRST_RETRY : Math.min(2 * before, LAST_RETRY);
}
