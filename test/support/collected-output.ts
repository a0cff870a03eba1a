// What a command said: data and notes, kept for a test to look at.
import type { Output } from "../../src/commands/output.ts";

export class CollectedOutput implements Output {
  text = "";
  readonly notes: string[] = [];

  async data(lines: Iterable<string>): Promise<void> {
    for (const line of lines) this.text += `${line}\n`;
  }

  note(text: string): void {
    this.notes.push(text);
  }
}
