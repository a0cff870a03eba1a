// How does a command that failed end?
import { InputError } from "../errors.ts";
import type { Output } from "./output.ts";

/** Wrong usage of the command line, in words of one line. */
export function wrongUsage(message: string): InputError {
  return new InputError({}, `${message}. See fairlead --help`);
}

/**
 * Tells why, and gives the exit code: 2 for wrong usage and unreadable input, 1 for all else; the daemon has 1 for both,
 * as kube-proxy has. A fault of ours is shown with its stack.
 */
export function reportFailure(error: Error, isDaemon: boolean, output: Output): number {
  const expected = error instanceof InputError;
  output.note(`${isDaemon ? "Error" : "fairlead"}: ${expected ? error.message : error.stack}`);
  return isDaemon || !expected ? 1 : 2;
}
