// How long does an answer ask us to wait?

/**
 * Milliseconds of the header `retry-after`, in seconds or as a date; 0 where there is none. A date is held against the
 * answer's own `date`, so that our clock need not be right.
 */
export function readRetryAfter(headers: ReadonlyMap<string, string>): number {
  const written = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}$/.test(written)) return Number(written) * 1000;
  const wait = Date.parse(written) - Date.parse(headers.get("date") ?? "");
  return Number.isNaN(wait) ? 0 : Math.max(wait, 0);
}
