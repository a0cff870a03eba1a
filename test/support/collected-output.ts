// What a command said: data and notes, kept for a test to look at.
import { Writable } from "node:stream";
import type { Output } from "../../src/commands/output.ts";
import { NO_PROGRESS, type Progress } from "../../src/commands/progress.ts";

export class CollectedOutput implements Output {
  text = "";
  readonly notes: string[] = [];
  readonly progress: Progress = NO_PROGRESS;

  async data(lines: Iterable<string>): Promise<void> {
    for (const line of lines) this.text += `${line}\n`;
  }

  /** Lines of a log become notes. */
  get streams(): Output["streams"] {
    const take = (chunk: unknown) => {
      const lines = String(chunk).trimEnd();
      // A line that begins with a tab, or with the end of a text, goes on with the record before.
      if (lines !== "") this.notes.push(...lines.split(/\n(?!\t| >)/));
    };
    const stream = () => new Writable({ decodeStrings: false, write: (chunk, _, done) => done(void take(chunk)) });
    return { stdout: stream(), stderr: stream() };
  }

  note(text: string): void {
    this.notes.push(text);
  }
}
