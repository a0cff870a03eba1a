// Reads the command line of all commands beside the daemon and runs the command.
import yargs, { type Argv, type CommandModule } from "yargs";
import { wrongUsage } from "../commands/failure.ts";
import type { Output } from "../commands/output.ts";
import { printVersion } from "../commands/version.ts";
import { takeFlags } from "../options/flags.ts";
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
  const context = { given, output, done };
  const offered = OFFERS.get(name);
  // yargs writes help past our output and ends the process, unless it has somewhere to give it to.
  let help = "";
  if (offered) {
    await offered(reader(`fairlead ${name}`, own), context, true).parseAsync([...own], {}, (_error, _parsed, text) => {
      help = text;
    });
  } else {
    // `completion` and what its script asks: yargs prints the answer and ends the process.
    await allCommands([name, ...own], context).parseAsync();
  }
  if (help !== "") await output.data([help]);
  return code;
}

/** All commands, and all flags of the daemon. */
export function printUsage(output: Output): Promise<string> {
  return allCommands([], { given: new Map(), output, done: () => {} }).getHelp();
}

type Offer = (argv: Argv, context: CommandContext, isAlone: boolean) => Argv;

const OFFERS: ReadonlyMap<string, Offer> = new Map([
  ["render", offer(renderCommand)],
  ["diff", offer(diffCommand)],
  ["trace", offer(traceCommand)],
  ["test", offer(testCommand)],
  ["lint", offer(lintCommand)],
  ["cleanup", offer(cleanupCommand)],
]);

/** Alone, a command is what its program's arguments mean without a name. */
function offer<T>(make: (context: CommandContext) => CommandModule<object, T> & { readonly command: string }): Offer {
  return (argv, context, isAlone) => {
    const { command, ...rest } = make(context);
    return argv.command({ ...rest, command: isAlone ? command.replace(/^\w+/, "$0") : command });
  };
}

function allCommands(args: readonly string[], context: CommandContext): Argv {
  const argv = reader("fairlead", args).usage("$0 COMMAND: a node proxy for Kubernetes Services").command(daemonHelp());
  for (const offered of OFFERS.values()) offered(argv, context, false);
  return argv.completion("completion", "print a script for shell completion");
}

/** The messages of yargs for a wrong command line, in our words. */
const MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/^Unknown arguments?: ([^,]+).*$/s, "unknown flag or argument: $1"],
  [/^Unknown commands?: (.+)$/s, "unknown command: $1"],
  [/^Invalid values:\s+Argument: (.+?), Given: (.+?), Choices: (.+)$/s, "--$1 is $2; supported: $3"],
  [/^Missing required arguments?: (.+)$/s, "missing flag: --$1"],
  [/^Not enough arguments following: (.+)$/s, "--$1 needs a value"],
  [/^Not enough non-option arguments: .*$/s, "missing argument: a path"],
  [/^Arguments (.+) and (.+) are mutually exclusive$/s, "--$1 and --$2 are mutually exclusive"],
];

function plainMessage(message: string): string {
  return MESSAGES.reduce((text, [pattern, words]) => text.replace(pattern, words), message);
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
      throw error ?? wrongUsage(plainMessage(message));
    });
}
