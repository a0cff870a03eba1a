// What do the programs that a node starts cost, and what are they told?
import { type Command, type RunCommand, runCommand } from "../../src/kernel/command.ts";

/** Since the last reset. Times in milliseconds. */
export interface Reading {
  readonly processes: number;
  /** Lines written to the programs. */
  readonly lines: number;
  /** From the call to the end of each program, added up. */
  readonly waited: number;
  /** That part of it in which our own lines were made. */
  readonly writing: number;
  /** When the first program that was given input ended, on the clock of `performance`. */
  readonly firstChange: number | undefined;
}

const NOTHING: Reading = { processes: 0, lines: 0, waited: 0, writing: 0, firstChange: undefined };

/** Stands between a node and the programs it starts. */
export class Meter {
  #reading: Reading = NOTHING;

  reset(): void {
    this.#reading = NOTHING;
  }

  read(): Reading {
    return this.#reading;
  }

  readonly run: RunCommand = async (command) => {
    const start = performance.now();
    try {
      return await runCommand(this.#counting(command));
    } finally {
      this.#ended(command, start);
    }
  };

  #ended({ input }: Command, start: number): void {
    const now = performance.now();
    const { processes, waited, firstChange } = this.#reading;
    const first = firstChange ?? (input ? now : undefined);
    this.#reading = { ...this.#reading, processes: processes + 1, waited: waited + now - start, firstChange: first };
  }

  #counting(command: Command): Command {
    return command.input ? { ...command, input: this.#count(command.input) } : command;
  }

  *#count(input: Iterable<string>): Iterable<string> {
    let [lines, writing, start] = [0, 0, performance.now()];
    for (const line of input) {
      lines++;
      writing += performance.now() - start;
      yield line;
      start = performance.now();
    }
    const before = this.#reading;
    this.#reading = { ...before, lines: before.lines + lines, writing: before.writing + writing };
  }
}
