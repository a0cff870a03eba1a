// What can be said in the log, and what are records called?
import { pino } from "pino";
import { callingLine } from "./calling-line.ts";
import { klogText, type LogRecord, type Severity } from "./klog-text.ts";
import { microsecondClock } from "./microsecond-clock.ts";
import { type Later, Repeats } from "./repeats.ts";
import { Verbosity } from "./verbosity.ts";

/**
 * Fields that records may have, always by these names. Durations are texts with their unit. Nothing that is secret may
 * become a field: what is handed over is written.
 */
export interface Fields {
  readonly ipFamily?: string;
  readonly mode?: string;
  readonly table?: string;
  readonly chain?: string;
  readonly service?: string;
  readonly servicePort?: string;
  readonly step?: string;
  readonly code?: string;
  readonly elapsed?: string;
  /** An Error says its message. */
  readonly err?: string | Error;
  readonly [field: string]: unknown;
}

/** Speaks for one file. Messages are constants, so that alike records can be told; what varies is in the fields. */
export interface Log {
  info(fields: Fields, message: string): void;
  warn(fields: Fields, message: string): void;
  error(fields: Fields, message: string): void;
  /**
   * Said where the verbosity is at least `level`: 1 flags and sysctls, 2 begin and end of a pass, 3 endpoints of a
   * ServicePort, 4 single events, 6 conntrack deletions, 9 whole rule dumps.
   */
  debug(level: number, fields: Fields, message: string): void;
  /** Whether records of that level are said: to be asked before something is worked out only to be said. */
  says(level: number): boolean;
  /** A text without fields, from that verbosity on; in text format it is not quoted. */
  print(level: number, text: string): void;
}

/** A log for each file, by the file's name (`keeper.ts`). */
export type Logs = (at: string) => Log;

/** Takes one whole line with its end. */
export type WriteLine = (line: string, severity: Severity) => unknown;

export interface LogSettings {
  readonly verbosity?: Verbosity;
  /** Takes the number of lines that were written but never arrived; 0 for as long as none could arrive. */
  readonly takeLost?: () => number;
  readonly later?: Later;
}

interface Spoken extends Pick<LogRecord, "severity" | "level" | "message" | "fields"> {
  readonly at: string;
}

/**
 * A log in klog's text or in JSON. Of records that anybody sees, more than a hundred alike in ten seconds become a
 * number; what is said only on request is said in full.
 */
export function createLog(format: "text" | "json", write: WriteLine, settings: LogSettings = {}): Logs {
  const { verbosity = new Verbosity(), takeLost = () => 0, later = laterUnheard } = settings;
  const now = microsecondClock();
  const emit = createSink(format, write);
  const repeats = new Repeats<LogRecord>(later, (first, count) => {
    emit({ ...first, time: now(), message: "More of the same left out", fields: { of: first.message, count } });
  });
  const say = ({ at, ...spoken }: Spoken, method: (...args: never[]) => void) => {
    const make = (): LogRecord => {
      return { ...spoken, time: now(), pid: process.pid, caller: `${at}:${callingLine(method) ?? 1}` };
    };
    const record = spoken.level > 0 ? make() : repeats.admit(`${at} ${spoken.message}`, make);
    if (!record) return;
    const count = takeLost();
    if (count > 0) emit({ ...record, severity: "warn", message: "Log lines were lost on the way", fields: { count } });
    emit(record);
  };
  return (at) => logOf(at, say, verbosity);
}

function logOf(at: string, say: (spoken: Spoken, method: (...args: never[]) => void) => void, verbosity: Verbosity) {
  const log: Log = {
    info: (fields, message) => say({ at, severity: "info", level: 0, message, fields }, log.info),
    warn: (fields, message) => say({ at, severity: "warn", level: 0, message, fields }, log.warn),
    error: (fields, message) => say({ at, severity: "error", level: 0, message, fields }, log.error),
    debug: (level, fields, message) => {
      if (log.says(level)) say({ at, severity: "info", level, message, fields }, log.debug);
    },
    says: (level) => verbosity.allows(level, at),
    print: (level, text) => {
      if (log.says(level)) say({ at, severity: "info", level, message: text }, log.print);
    },
  };
  return log;
}

/** pino takes every record; for klog's text it hands it on before it would make JSON of it. */
function createSink(format: "text" | "json", write: WriteLine): (record: LogRecord) => void {
  // pino writes a record before its method returns.
  let current: LogRecord;
  const root = pino(
    {
      base: { pid: process.pid },
      timestamp: false,
      serializers: { err: (value: unknown) => (value instanceof Error ? value.message : value) },
      hooks: {
        logMethod(args, method) {
          if (format === "json") method.apply(this, args);
          else write(`${klogText(current)}\n`, current.severity);
        },
      },
    },
    { write: (line) => write(line, current.severity) },
  );
  return (record) => {
    current = record;
    const { severity, level, time, caller, message, fields } = record;
    const ts = Math.round(time * 1000) / 1000;
    root[severity]({ ts, caller, ...(severity === "info" && { v: level }), ...fields }, message);
  };
}

/** A summary that is due does not keep the process alive. */
function laterUnheard(delay: number, callback: () => void): void {
  setTimeout(callback, delay).unref();
}
