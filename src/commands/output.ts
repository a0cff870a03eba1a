// Writes a command's result to standard output, and notes and progress to standard error.
import { once } from "node:events";
import { fstatSync } from "node:fs";
import type { Writable } from "node:stream";
import { failureWords, readCode } from "../source/file-failure.ts";
import { openProgress, type Progress, type ProgressMeans } from "./progress.ts";

/** The result could not be written, for example because the disk is full. */
export class OutputError extends Error {
  override readonly name = "OutputError";

  /** `error` is what the stream reported. */
  constructor(error: Error) {
    super(`cannot write to standard output: ${failureWords(error)}`);
  }
}

/** Where a command writes: data to standard output, notes and warnings to standard error. */
export interface Output {
  /** Writes data, line by line, without line ends. Resolves when it is written; rejects with OutputError. */
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

/** Codes of a stream whose reader has gone away, as in `| head`. */
const CLOSED: ReadonlySet<string> = new Set(["EPIPE", "ERR_STREAM_DESTROYED"]);

/** Resolves when the piece is written or the reader has gone away, with the error if there was one. */
async function written(out: Writable, piece: string): Promise<Error | undefined> {
  const over = new AbortController();
  const closed = once(out, "close", { signal: over.signal }).then(
    () => undefined,
    () => undefined,
  );
  const done = new Promise<Error | undefined>((resolve) => {
    out.write(piece, (error) => resolve(error ?? undefined));
  });
  const error = await Promise.race([done, closed]);
  // Each wait is a listener, which must not outlive it.
  over.abort();
  await closed;
  return error;
}

/**
 * Writes to standard output and standard error. A reader that goes away (`| head`) ends the data without an error; any
 * other failure is an OutputError. Progress ends with the first of the data, unless they go to a file: a terminal has
 * room for one of both.
 */
export function standardOutput(
  out: Writable = process.stdout,
  err: Writable = process.stderr,
  means: ProgressMeans = {},
): Output {
  let closed = false;
  // Without listeners the process would end with a stack trace. The data's errors are seen where they are written, and
  // there is no place left to report those of standard error.
  for (const stream of [out, err]) stream.on("error", () => {});
  out.on("close", () => {
    closed = true;
  });
  const progress = openProgress(err, means);
  const toFile = isFile(out);
  const write = async (piece: string) => {
    if (!toFile) progress.clear();
    if (closed || piece === "") return;
    const error = await written(out, piece);
    if (!error) return;
    if (!CLOSED.has(readCode(error))) throw new OutputError(error);
    closed = true;
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
