// Which flags has `diff`?
import type { Argv } from "yargs";
import { isColourWelcome } from "../commands/colour.ts";
import { DIFF_FORMATS, diffPaths, RESTORE_SECTIONS, type RestoreSection } from "../commands/diff.ts";
import type { CommandContext } from "./command-context.ts";
import { inputsOf, type ParsedInputs, withInputs } from "./input-flags.ts";

interface DiffArguments extends ParsedInputs {
  readonly against: string;
  readonly output: (typeof DIFF_FORMATS)[number];
  readonly section?: RestoreSection | undefined;
  readonly service: readonly string[];
  readonly noColor: boolean;
}

export function diffCommand(context: CommandContext) {
  return {
    command: "diff [path..]",
    describe: "print what would have to change",
    builder: (argv: Argv) =>
      withInputs(argv)
        .option("against", {
          type: "string",
          default: "kernel",
          describe: "this machine's kernel, a file of what iptables-save and its like printed, or other manifests",
        })
        .option("output", { alias: "o", choices: DIFF_FORMATS, default: "text" as const, describe: "how to print it" })
        .option("section", { choices: RESTORE_SECTIONS, describe: "with -o restore: what this tool has to do" })
        .option("service", { type: "string", array: true, default: [], describe: "only NAMESPACE/NAME[:PORT]" })
        .option("no-color", { type: "boolean", default: false, describe: "no colour, not even on a terminal" })
        .example("$0 shop.yaml", "what would change on this node; exit code 1 if anything")
        .example("$0 shop.yaml --node worker-a --against worker-a.dump", "on a node that was looked at"),
    handler: async ({ output: format, section, service: services, against, noColor, ...args }: DiffArguments) => {
      const colour = isColourWelcome(context.output, noColor);
      const flags = { against, format, section, services, colour };
      context.done(await diffPaths(await inputsOf(args, context), flags, context.output));
    },
  };
}
