// Chooses the command that the command line names, and turns its outcome into an exit code.
import { runDaemon } from "./commands/daemon.ts";
import { reportDaemonFailure, reportFailure, UsageError } from "./commands/failure.ts";
import { type Output, standardOutput } from "./commands/output.ts";
import { type RunArguments, readRunArguments } from "./commands/run-arguments.ts";

/** Commands beside `run`, which is also what a command line without a command means. */
const OTHERS: ReadonlySet<string> = new Set([
  ...["render", "diff", "trace", "test", "lint", "cleanup", "completion"],
  // What the script that `completion` prints asks.
  "--get-yargs-completions",
]);

/**
 * Runs one command line and gives its exit code: 0 done, 1 a failure at run time, 2 wrong usage or unreadable input.
 * The daemon has 1 for those too, as kube-proxy has; it is what flags alone mean, so this program may take its place.
 */
export async function runCommandLine(args: readonly string[], output: Output = standardOutput()): Promise<number> {
  const isOther = OTHERS.has(args[0] ?? "");
  try {
    return isOther ? await runOther(args, output) : await runAsked(readRunArguments(args), output);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (isOther) return reportFailure(error, output);
    if (error instanceof UsageError && error.about === "flags") output.note(await usage(output));
    return reportDaemonFailure(error, output);
  }
}

async function runAsked(asked: RunArguments, output: Output): Promise<number> {
  switch (asked.kind) {
    case "help":
      await output.data([await usage(output)]);
      return 0;
    case "version":
      await output.data([asked.text]);
      return 0;
    case "run":
      return runDaemon(asked, output);
  }
}

// Loaded on demand: the command-line parser would cost the daemon a tenth more memory, which never needs it.
async function runOther(args: readonly string[], output: Output): Promise<number> {
  const { runCommand } = await import("./cli/command-line.ts");
  return runCommand(args, output);
}

async function usage(output: Output): Promise<string> {
  const { printUsage } = await import("./cli/command-line.ts");
  return printUsage(output);
}
