// What did the log say?
import { createLog, type Logs } from "../../src/sync/log.ts";
import { Verbosity } from "../../src/sync/verbosity.ts";

/** A log at verbosity 2, and what stands behind `] ` in its lines. */
export function keptLog(): { readonly logs: Logs; readonly lines: string[] } {
  const lines: string[] = [];
  const write = (line: string) => lines.push(line.trimEnd().replace(/^.*?\] /, ""));
  return { logs: createLog("text", write, { verbosity: new Verbosity(2) }), lines };
}
