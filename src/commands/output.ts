// Where does a command's answer go?
import { once } from "node:events";
import type { Writable } from "node:stream";

/** What a command may speak to: data on one side, notes and warnings on the other. */
export interface Output {
  /** Data, line by line, without line ends. Resolves when it was taken. */
  data(lines: Iterable<string>): Promise<void>;
  /** One note for the reader, not for the pipe. */
  note(text: string): void;
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

/** Speaks to standard output and standard error. A reader that goes away (`| head`) ends the data, not in an error. */
export function standardOutput(out: Writable = process.stdout, err: Writable = process.stderr): Output {
  let closed = false;
  out.on("error", () => {
    closed = true;
  });
  const write = async (piece: string) => {
    if (!closed && !out.write(piece)) await taken(out);
  };
  return {
    streams: { stdout: out, stderr: err },
    data: async (lines) => {
      let piece = "";
      for (const line of lines) {
        if (closed) return;
        piece += `${line}\n`;
        if (piece.length < PIECE) continue;
        await write(piece);
        piece = "";
      }
      await write(piece);
    },
    note: (text) => {
      err.write(`${text}\n`);
    },
  };
}
