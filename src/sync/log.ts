// Where do log records go, and what are they called?
import { pino } from "pino";
import { klogText, type LogRecord } from "./klog-text.ts";

/** Fields that records may have, always by these names. `at` is the file that speaks. */
export interface Fields {
  readonly ipFamily?: string;
  readonly mode?: string;
  readonly service?: string;
  readonly step?: string;
  readonly code?: string;
  readonly elapsed?: string;
  readonly [field: string]: unknown;
}

export interface Log {
  info(fields: Fields, message: string): void;
  warn(fields: Fields, message: string): void;
  error(fields: Fields, message: string): void;
}

/** A log that speaks for one file. `write` takes whole lines. */
export function createLog(format: "text" | "json", write: (line: string) => void): (at: string) => Log {
  const stream = { write: (line: string) => write(format === "json" ? line : `${klogText(recordOf(line))}\n`) };
  const root = pino({ base: { pid: process.pid } }, stream);
  return (at) => root.child({ at });
}

function recordOf(line: string): LogRecord {
  return JSON.parse(line);
}
