// How does a command that failed end?
import { InputError, KernelError } from "../errors.ts";
import { createLog } from "../sync/log.ts";
import type { Output } from "./output.ts";

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

/** What is said of an error: a fault of ours, which all are that neither are one of these nor come of one, has its stack. */
export function wordsOf(error: Error): string {
  const kinds = [InputError, KernelError, FatalError, UsageError];
  const isExpected = kinds.some((kind) => error instanceof kind || error.cause instanceof kind);
  return isExpected ? error.message : String(error.stack);
}

/** Tells why a command beside the daemon failed, and gives its exit code: 2 for wrong usage and input, 1 for all else. */
export function reportFailure(error: Error, output: Output): number {
  output.note(`fairlead: ${wordsOf(error)}`);
  return error instanceof InputError ? 2 : 1;
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
