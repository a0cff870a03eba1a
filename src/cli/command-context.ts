// What does every command beside the daemon have at hand?
import type { Output } from "../commands/output.ts";
import type { GivenFlags } from "../options/flags.ts";

export interface CommandContext {
  /** kube-proxy's own flags, which yargs does not see. */
  readonly given: GivenFlags;
  readonly output: Output;
  /** Takes the exit code. */
  readonly done: (exitCode: number) => void;
}
