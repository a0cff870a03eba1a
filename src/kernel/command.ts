// How is a program of the system run?
import { constants, setPriority } from "node:os";
import { Readable } from "node:stream";
import { type ExecaError, execa } from "execa";
import { KernelError } from "../errors.ts";
import { inPieces } from "./input-pieces.ts";

/** A program, its arguments, and what is written to its standard input, in pieces. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly input?: Iterable<string>;
  /** Whatever else the machine has to do goes first. */
  readonly unhurried?: boolean;
}

/**
 * Runs a program to its end and gives its standard output. Rejects with KernelError when it cannot or does not succeed,
 * and with the input's own error when that cannot be written out.
 */
export type RunCommand = (command: Command) => Promise<string>;

/** Longest time that a program may take, in milliseconds; a first load of a large cluster takes minutes on old tools. */
const TIME_LIMIT = 600_000;

export const runCommand: RunCommand = async ({ program, args, input, unhurried }) => {
  try {
    const running = execa(program, [...args], {
      ...(input ? { input: Readable.from(inPieces(input)) } : { stdin: "ignore" }),
      maxBuffer: Number.POSITIVE_INFINITY,
      stripFinalNewline: false,
      timeout: TIME_LIMIT,
    });
    if (unhurried && running.pid !== undefined) giveWay(running.pid);
    return (await running).stdout;
  } catch (error) {
    throw reasonOf(program, args, error as ExecaError);
  }
};

/** A process that is over already, or must not be slowed down, runs as it is. */
function giveWay(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {}
}

/** What went wrong: the program's refusal, or, where the input could not be written out, that fault of ours. */
function reasonOf(program: string, args: readonly string[], error: ExecaError): Error {
  const { cause } = error;
  if (cause instanceof Error && !("code" in cause)) return cause;
  const words = String(error.stderr ?? "").trim();
  return new KernelError({
    step: program,
    target: args.join(" "),
    code: String(error.exitCode ?? error.signal ?? error.code ?? "failed"),
    words: words === "" ? (error.originalMessage ?? error.shortMessage) : words,
    cause: error,
  });
}
