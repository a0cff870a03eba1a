// How do log lines leave, without the daemon ever waiting for who reads them?
import type { Writable } from "node:stream";
import type { LoggingOptions } from "../options/options.ts";
import type { Severity } from "./klog-text.ts";
import { createLog, type Logs } from "./log.ts";
import { Verbosity } from "./verbosity.ts";

/** Characters that wait for a slow reader; of what comes then, lines are lost rather than memory. */
const WAITING = 1 << 20;

/** Milliseconds for the last lines. */
const FAREWELL = 1000;

/** One stream of lines. A pipe is not waited for, and a reader that went away is no failure: lines are lost then. */
export class LineOutput {
  readonly #stream: Writable;
  #lost = 0;
  #broken = false;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on("error", () => {
      this.#broken = true;
    });
  }

  write(line: string): void {
    if (this.#fits(line.length)) this.#stream.write(line);
    else this.#lost++;
  }

  /** Lines lost since the last call; 0 until half of what waits is gone, so that the number itself arrives. */
  takeLost(): number {
    const lost = this.#fits(WAITING / 2) ? this.#lost : 0;
    this.#lost -= lost;
    return lost;
  }

  /** Resolves when what was written is gone, where there is a reader; at the latest after so many milliseconds. */
  async flush(limit: number): Promise<void> {
    if (this.#broken) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limit);
      this.#stream.write("", () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #fits(length: number): boolean {
    return !this.#broken && this.#stream.writableLength + length <= WAITING;
  }
}

export interface OpenLog {
  readonly logs: Logs;
  /** Its level may be changed at any time. */
  readonly verbosity: Verbosity;
  /** To be awaited before the process ends itself: lines that a slow reader has not taken yet get a second. */
  flush(): Promise<void>;
}

/** The streams of a process. */
export interface Streams {
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/**
 * The daemon's log, on standard error; with a split stream what is worse than info there (in JSON format, errors alone),
 * the rest on standard output, as kube-proxy does.
 */
export function openLog(logging: LoggingOptions, streams: Streams): OpenLog {
  const { format, splitStream } = logging;
  const verbosity = new Verbosity(logging.verbosity, logging.vmodule);
  const rest = new LineOutput(streams.stderr);
  const infos = splitStream ? new LineOutput(streams.stdout) : rest;
  const low: readonly Severity[] = format === "json" ? ["info", "warn"] : ["info"];
  const write = (line: string, severity: Severity) => (low.includes(severity) ? infos : rest).write(line);
  const takeLost = () => rest.takeLost() + infos.takeLost();
  const flush = async () => {
    await Promise.all([rest.flush(FAREWELL), infos.flush(FAREWELL)]);
  };
  return { logs: createLog(format, write, { verbosity, takeLost }), verbosity, flush };
}
