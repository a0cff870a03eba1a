// Reads the Retry-After header and computes how long to wait for it.
import type { Timing } from "./timing.ts";

/** Milliseconds. A longer wait is not granted: a wrong clock of a proxy could silence us for days. */
const LONGEST = 300_000;

/** Jitter on top of the requested wait, so that nodes do not return together: a tenth of it, at most a second. */
const JITTER = { share: 0.1, most: 1000 };

/**
 * Milliseconds of the header `retry-after`, in seconds or as a date; 0 where there is none. A date is compared with the
 * answer's own `date`, so that our clock need not be right.
 */
export function readRetryAfter(headers: ReadonlyMap<string, string>): number {
  const written = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}$/.test(written)) return Number(written) * 1000;
  const wait = Date.parse(written) - Date.parse(headers.get("date") ?? "");
  return Number.isNaN(wait) ? 0 : Math.max(wait, 0);
}

/** Milliseconds to wait where the server asked for so many: as given, with some jitter. */
export function retryAfterDelay(asked: number, timing: Pick<Timing, "random">): number {
  const granted = Math.min(asked, LONGEST);
  return granted + timing.random() * Math.min(granted * JITTER.share, JITTER.most);
}
