// Which commands are there?
import yargs, { type Argv } from "yargs";
import { wrongUsage } from "../commands/failure.ts";
import type { Output } from "../commands/output.ts";
import { printVersion } from "../commands/version.ts";
import { takeFlags } from "../options/taken-flags.ts";
import { cleanupCommand } from "./cleanup.ts";
import type { CommandContext } from "./command-context.ts";
import { daemonHelp } from "./daemon-help.ts";
import { hideDashes } from "./dash-values.ts";
import { diffCommand } from "./diff.ts";
import { RULE_FLAGS } from "./flag-rows.ts";
import { lintCommand } from "./lint.ts";
import { renderCommand } from "./render.ts";
import { testCommand } from "./test.ts";
import { traceCommand } from "./trace.ts";

/** Runs a command beside the daemon and gives its exit code. Rejects with what went wrong. */
export async function runCommand(args: readonly string[], output: Output): Promise<number> {
  const { given, rest } = takeFlags(args, RULE_FLAGS);
  let code = 0;
  const done = (exitCode: number) => {
    code = exitCode;
  };
  await commandLine(hideDashes(rest), { given, output, done }).parseAsync();
  return code;
}

/** All commands, and all flags of the daemon. */
export function printUsage(output: Output): Promise<string> {
  return commandLine([], { given: new Map(), output, done: () => {} }).getHelp();
}

function commandLine(args: readonly string[], context: CommandContext): Argv {
  return yargs([...args])
    .scriptName("fairlead")
    .usage("$0 COMMAND: a node proxy for Kubernetes Services")
    .parserConfiguration({ "boolean-negation": false, "greedy-arrays": false })
    .command(daemonHelp())
    .command(renderCommand(context))
    .command(diffCommand(context))
    .command(traceCommand(context))
    .command(testCommand(context))
    .command(lintCommand(context))
    .command(cleanupCommand(context))
    .completion("completion", "print a script for shell completion")
    .version(printVersion())
    .strict()
    .help()
    .wrap(100)
    .fail((message, error) => {
      throw error ?? wrongUsage(message);
    });
}
