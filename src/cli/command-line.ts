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

/**
 * Runs a command beside the daemon and gives its exit code. Rejects with what went wrong.
 * yargs is only told of this command, as its default: for each other kind of command that it runs, it lays out the help
 * that nobody asked for, a fifth of the time that `render` takes.
 */
export async function runCommand(args: readonly string[], output: Output): Promise<number> {
  const { given, rest } = takeFlags(args, RULE_FLAGS);
  let code = 0;
  const done = (exitCode: number) => {
    code = exitCode;
  };
  const [name = "", ...own] = hideDashes(rest);
  await commandOf(name, own, { given, output, done }).parseAsync();
  return code;
}

/** All commands, and all flags of the daemon. */
export function printUsage(output: Output): Promise<string> {
  return allCommands([], { given: new Map(), output, done: () => {} }).getHelp();
}

function commandOf(name: string, args: readonly string[], context: CommandContext): Argv {
  const argv = reader(`fairlead ${name}`, args);
  switch (name) {
    case "render":
      return argv.command(alone(renderCommand(context)));
    case "diff":
      return argv.command(alone(diffCommand(context)));
    case "trace":
      return argv.command(alone(traceCommand(context)));
    case "test":
      return argv.command(alone(testCommand(context)));
    case "lint":
      return argv.command(alone(lintCommand(context)));
    case "cleanup":
      return argv.command(alone(cleanupCommand(context)));
    default:
      return allCommands([name, ...args], context);
  }
}

const alone = <T extends { readonly command: string }>(command: T): T => ({
  ...command,
  command: command.command.replace(/^\w+/, "$0"),
});

function allCommands(args: readonly string[], context: CommandContext): Argv {
  return reader("fairlead", args)
    .usage("$0 COMMAND: a node proxy for Kubernetes Services")
    .command(daemonHelp())
    .command(renderCommand(context))
    .command(diffCommand(context))
    .command(traceCommand(context))
    .command(testCommand(context))
    .command(lintCommand(context))
    .command(cleanupCommand(context))
    .completion("completion", "print a script for shell completion");
}

function reader(program: string, args: readonly string[]): Argv {
  return yargs([...args])
    .scriptName(program)
    .parserConfiguration({ "boolean-negation": false, "greedy-arrays": false })
    .version(printVersion())
    .strict()
    .help()
    .wrap(100)
    .fail((message, error) => {
      throw error ?? wrongUsage(message);
    });
}
