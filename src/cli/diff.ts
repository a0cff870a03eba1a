// Flags of `fairlead diff`.
import type { Argv } from "yargs";
import { isColourWelcome } from "../commands/colour.ts";
import { DIFF_FORMATS, diffPaths, RESTORE_SECTIONS, type RestoreSection } from "../commands/diff.ts";
import { KERNEL, LIVE } from "../commands/diff-side.ts";
import type { CommandContext } from "./command-context.ts";
import { showDash } from "./dash-values.ts";
import { inputsOf, type ParsedInputs, withInputs } from "./input-flags.ts";

interface DiffArguments extends ParsedInputs {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly against?: string | undefined;
  readonly output: (typeof DIFF_FORMATS)[number];
  readonly section?: RestoreSection | undefined;
  readonly service: readonly string[];
  readonly noColor: boolean;
}

export function diffCommand(context: CommandContext) {
  return {
    command: "diff [path..]",
    describe: "print the changes from an old to a new state",
    builder: (argv: Argv) =>
      withInputs(argv)
        .option("from", {
          type: "string",
          describe: "old state: kernel (this node), live (a cluster), or a file or directory (default kernel)",
        })
        .option("to", { type: "string", describe: "new state, likewise (default: the file arguments)" })
        .option("against", { type: "string", hidden: true, conflicts: "from" })
        .option("output", { alias: "o", choices: DIFF_FORMATS, default: "text" as const, describe: "output format" })
        .option("section", {
          choices: RESTORE_SECTIONS,
          describe: "with -o restore: print the input of this tool alone",
        })
        .option("service", {
          type: "string",
          array: true,
          default: [],
          describe: "print only this Service, NAMESPACE/NAME[:PORT]; repeatable",
        })
        .option("no-color", { type: "boolean", default: false, describe: "never colour the output" })
        .example("$0 shop.yaml", "what would change on this node; exit code 1 if anything")
        .example("$0 --from before/ --to after/ --node worker-a", "what a change of manifests changes on a node")
        .example("$0 shop.yaml --node worker-a --from worker-a.dump", "what would change on the node of a dump"),
    handler: async (args: DiffArguments) => {
      const { output: format, section, service: services, from, to, against, noColor, ...rest } = args;
      const old = showDash(from ?? against ?? KERNEL);
      const now = to === undefined ? undefined : showDash(to);
      const isSide = old === LIVE || now === LIVE;
      const input = await inputsOf({ ...rest, withoutObjects: now !== undefined, clusterIsSide: isSide }, context);
      const colour = isColourWelcome(context.output, noColor);
      context.done(await diffPaths(input, { from: old, to: now, format, section, services, colour }, context.output));
    },
  };
}
