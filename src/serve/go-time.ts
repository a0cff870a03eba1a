// How does Go write a point in time in JSON?

/** The time that nobody set. */
export const NO_TIME = "0001-01-01T00:00:00Z";

/**
 * RFC 3339 in the zone of the machine, of milliseconds since 1970 with a fraction: microseconds at most, no zeros behind
 * the last digit that counts, `Z` where the zone is UTC.
 */
export function goTime(time: number): string {
  const microseconds = Math.round(time * 1000);
  const millisecond = Math.floor(microseconds / 1000);
  const east = -new Date(millisecond).getTimezoneOffset();
  const local = new Date(millisecond + east * 60_000).toISOString().slice(0, "2026-01-02T03:04:05".length);
  const decimals = String(microseconds % 1_000_000)
    .padStart(6, "0")
    .replace(/0+$/, "");
  return `${local}${decimals === "" ? "" : `.${decimals}`}${zoneText(east)}`;
}

/** Minutes east of Greenwich as `+02:00`. */
function zoneText(east: number): string {
  if (east === 0) return "Z";
  const two = (number: number) => String(number).padStart(2, "0");
  const minutes = Math.abs(east);
  return `${east < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
