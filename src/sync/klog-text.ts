// How is a log record written as the text that kube-proxy writes?
import { goQuote } from "./go-quote.ts";

export type Severity = "info" | "warn" | "error";

const LETTERS = { info: "I", warn: "W", error: "E" } as const;

/** One record of the log, ready to be written. */
export interface LogRecord {
  readonly severity: Severity;
  /** Verbosity from which it is said. */
  readonly level: number;
  /** Milliseconds since 1970, to the microsecond. */
  readonly time: number;
  readonly pid: number;
  /** `keeper.ts:125`. */
  readonly caller: string;
  readonly message: string;
  /** Absent: the message is a text of its own, not to be quoted. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/**
 * `I1121 08:56:43.409049      12 pass.ts:14] "message" key="value"`, in local time and without a line's end: the shape of
 * klog's structured lines, and of its plain ones where there are no fields.
 */
export function klogText({ severity, time, pid, caller, message, fields }: LogRecord): string {
  const header = `${LETTERS[severity]}${stamp(Math.round(time * 1000))} ${String(pid).padStart(7)} ${caller}] `;
  if (!fields) return header + message;
  const said = Object.entries(fields).filter(([, value]) => value !== undefined);
  return header + goQuote(message) + said.map(([key, value]) => ` ${key}=${printValue(value)}`).join("");
}

function printValue(value: unknown): string {
  if (typeof value === "string") return printString(value);
  if (value instanceof Error) return printString(value.message);
  return typeof value === "bigint" ? String(value) : printData(value);
}

/**
 * Lines of a longer text stand below one another, each behind a tab; the end is behind a blank, so that no line can be
 * taken for it.
 */
function printString(text: string): string {
  if (!text.includes("\n")) return goQuote(text);
  const lines = text.replace(/\n$/, "").split("\n");
  return `<\n${lines.map((line) => `\t${line}\n`).join("")} >`;
}

/** JSON, as klog prints lists and maps. What JSON cannot hold must not end the caller. */
function printData(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return goQuote("<internal error: not fit for JSON>");
  }
}

function stamp(microseconds: number): string {
  const date = new Date(Math.floor(microseconds / 1000));
  const two = (value: number) => String(value).padStart(2, "0");
  const day = two(date.getMonth() + 1) + two(date.getDate());
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
  return `${day} ${time}.${String(microseconds % 1_000_000).padStart(6, "0")}`;
}
