// Reads and prints durations as Go's time package does.
import { InputError } from "../errors.ts";

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["µs", 1_000n],
  ["μs", 1_000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);

const SECOND = 1_000_000_000n;
const MINUTE = 60n;
const HOUR = 3600n;
const LONGEST = 2n ** 63n;

/**
 * Returns the nanoseconds of `1h15m30s`, `-1.5h` or `300ms`. Throws InputError with the messages of Go's time package for
 * an invalid duration and for more than 292 years.
 */
export function parseDuration(text: string): bigint {
  const sign = /^[-+]/.exec(text)?.[0] ?? "";
  const body = text.slice(sign.length);
  if (body === "0") return 0n;
  const sum = sumOf(body, text);
  const limit = sign === "-" ? LONGEST : LONGEST - 1n;
  if (sum > limit) throw invalid(text);
  return sign === "-" ? -sum : sum;
}

/** Prints like Go: `15m0s`, `1h0m0s`, `1.5s`, `300ms`, `0s`. */
export function printDuration(nanoseconds: bigint): string {
  if (nanoseconds < 0n) return `-${printDuration(-nanoseconds)}`;
  if (nanoseconds === 0n) return "0s";
  if (nanoseconds < 1_000n) return `${nanoseconds}ns`;
  if (nanoseconds < 1_000_000n) return `${fraction(nanoseconds, 1_000n)}µs`;
  if (nanoseconds < SECOND) return `${fraction(nanoseconds, 1_000_000n)}ms`;
  const whole = nanoseconds / SECOND;
  const seconds = `${fraction(nanoseconds % (SECOND * MINUTE), SECOND)}s`;
  if (whole < MINUTE) return seconds;
  const minutes = `${(whole / MINUTE) % MINUTE}m${seconds}`;
  return whole < HOUR ? minutes : `${whole / HOUR}h${minutes}`;
}

/** Converts nanoseconds to milliseconds, with fractions. */
export function millisecondsOf(nanoseconds: bigint): number {
  return Number(nanoseconds) / 1e6;
}

function sumOf(body: string, text: string): bigint {
  if (body === "") throw invalid(text);
  let sum = 0n;
  for (const [part, whole = "", decimals = "", unit = ""] of body.matchAll(/(\d*)(?:\.(\d*))?([^\d.]*)/g)) {
    if (part === "") break;
    if (whole === "" && decimals === "") throw invalid(text);
    if (unit === "") throw new InputError({}, `time: missing unit in duration ${JSON.stringify(text)}`);
    const size = UNITS.get(unit);
    if (size === undefined) {
      throw new InputError({}, `time: unknown unit ${JSON.stringify(unit)} in duration ${JSON.stringify(text)}`);
    }
    sum += BigInt(whole) * size + (BigInt(decimals) * size) / 10n ** BigInt(decimals.length);
  }
  return sum;
}

function fraction(value: bigint, unit: bigint): string {
  const decimals = (value % unit)
    .toString()
    .padStart(unit.toString().length - 1, "0")
    .replace(/0+$/, "");
  return `${value / unit}${decimals === "" ? "" : "."}${decimals}`;
}

function invalid(text: string): InputError {
  return new InputError({}, `time: invalid duration ${JSON.stringify(text)}`);
}
