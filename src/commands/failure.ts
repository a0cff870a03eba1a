// Exit codes, and how a command that failed reports why.
import { InputError, KernelError } from "../errors.ts";
import { createLog } from "../sync/log.ts";
import { type Output, OutputError } from "./output.ts";

/** Exit codes of all commands but the daemon, which has kube-proxy's. */
export const EXIT = {
  /** It worked, and the answer is "fine", "no differences" or "all passed". */
  fine: 0,
  /** It worked, and the answer is "differences", "failures" or "problems"; or the run itself failed. */
  problems: 1,
  /** Wrong usage, or input that could not be read or was empty. */
  unusable: 2,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The daemon's command line cannot be read. `flags`: its reader wants to see which flags there are. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly about: "flags" | "arguments";

  constructor(about: "flags" | "arguments", message: string) {
    super(message);
    this.about = about;
  }
}

/** The daemon cannot start or go on, and says so in words that need no stack. */
export class FatalError extends Error {
  override readonly name = "FatalError";
}

/** Wrong usage of the command line, in words of one line. */
export function wrongUsage(message: string): InputError {
  return new InputError({}, `${message}. See fairlead --help`);
}

/** What the kernel or its tool said of which step, without the code. */
export function kernelWords({ refusal: { step, target, words, context = [] } }: KernelError): string {
  return [`${step} ${target}: ${words}`, ...context].join("\n");
}

/** The message of an error; one that is neither one of these kinds nor caused by one is a bug and has its stack. */
export function wordsOf(error: Error): string {
  const kinds = [InputError, KernelError, FatalError, UsageError, OutputError];
  const isExpected = kinds.some((kind) => error instanceof kind || error.cause instanceof kind);
  return isExpected ? error.message : String(error.stack);
}

/** Reports why a command failed; returns its exit code: `unusable` for wrong usage and input, else `problems`. */
export function reportFailure(error: Error, output: Output): ExitCode {
  output.note(`fairlead: ${error instanceof KernelError ? kernelWords(error) : wordsOf(error)}`);
  return error instanceof InputError ? EXIT.unusable : EXIT.problems;
}

/**
 * Tells why the daemon ended before it had a log of its own, as kube-proxy does: a command line that cannot be read in
 * a plain line, all else as a record. The exit code is always 1.
 */
export function reportDaemonFailure(error: Error, output: Output): number {
  if (error instanceof UsageError) output.note(`Error: ${error.message}`);
  else createLog("text", (line) => output.streams.stderr.write(line))("cli.ts").error({ err: wordsOf(error) }, FAILED);
  return 1;
}

/** The message of the daemon's last record, where it ends for a reason. */
export const FAILED = "command failed";
