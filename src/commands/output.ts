// Where does a command's answer go?
import { once } from "node:events";
import { fstatSync } from "node:fs";
import type { Writable } from "node:stream";
import { openProgress, type Progress, type ProgressMeans } from "./progress.ts";

/** What a command may speak to: data on one side, notes and warnings on the other. */
export interface Output {
  /** Data, line by line, without line ends. Resolves when it was taken. */
  data(lines: Iterable<string>): Promise<void>;
  /** One note for the reader, not for the pipe. */
  note(text: string): void;
  /** For whoever waits; gone whenever something is said. */
  readonly progress: Progress;
  /** Where both go: for a log that has ways of its own. */
  readonly streams: { readonly stdout: Writable; readonly stderr: Writable };
}

/** Characters that are gathered before they are written: one write a line would cost more than the lines. */
const PIECE = 65_536;

/** Resolves when there is room again, or nobody reads any more. */
async function taken(out: Writable): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  const ends = [once(out, "drain", { signal }), once(out, "close", { signal })];
  await Promise.race(ends).catch(() => {});
  // The one that did not come must not be waited for: each wait is a listener.
  over.abort();
  await Promise.allSettled(ends);
}

/**
 * Speaks to standard output and standard error. A reader that goes away (`| head`) ends the data, not in an error.
 * Progress ends with the first of the data, unless they go to a file: a terminal has room for one of both.
 */
export function standardOutput(
  out: Writable = process.stdout,
  err: Writable = process.stderr,
  means: ProgressMeans = {},
): Output {
  let closed = false;
  out.on("error", () => {
    closed = true;
  });
  const progress = openProgress(err, means);
  const toFile = isFile(out);
  const write = async (piece: string) => {
    if (!toFile) progress.clear();
    if (!closed && !out.write(piece)) await taken(out);
  };
  return {
    streams: { stdout: out, stderr: err },
    progress,
    data: async (lines) => {
      let [piece, count] = ["", 0];
      for (const line of lines) {
        if (closed) break;
        piece += `${line}\n`;
        count++;
        if (toFile) progress.show(() => `wrote ${count} lines`);
        if (piece.length < PIECE) continue;
        await write(piece);
        piece = "";
      }
      await write(piece);
      progress.clear();
    },
    note: (text) => {
      progress.clear();
      err.write(`${text}\n`);
    },
  };
}

function isFile(out: Writable): boolean {
  return "fd" in out && typeof out.fd === "number" && fstatSync(out.fd).isFile();
}
