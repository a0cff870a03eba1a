// Defines the command line of `fairlead lint`.
import type { Argv } from "yargs";
import { lintPaths } from "../commands/lint.ts";
import { LINT_FORMATS, type LintFormat } from "../commands/lint-print.ts";
import type { CommandContext } from "./command-context.ts";
import { inputsOf, type ParsedInputs, withInputs } from "./input-flags.ts";

interface LintArguments extends ParsedInputs {
  readonly output: LintFormat;
}

export function lintCommand(context: CommandContext) {
  return {
    command: "lint [path..]",
    describe: "check Services for mistakes and surprises",
    builder: (argv: Argv) =>
      withInputs(argv)
        .option("output", { alias: "o", choices: LINT_FORMATS, default: "text" as const, describe: "output format" })
        .example("$0 manifests/ --node worker-a", "check as seen from node worker-a")
        .example("$0 manifests/ -o github", "annotate the lines of a pull request on GitHub"),
    handler: async (args: LintArguments) =>
      context.done(await lintPaths(await inputsOf(args, context), args.output, context.output)),
  };
}
