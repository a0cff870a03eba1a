// Flags of `fairlead render`.
import type { Argv } from "yargs";
import { RENDER_FORMATS, renderPaths } from "../commands/render.ts";
import { SECTIONS, type SectionName } from "../commands/sections.ts";
import type { CommandContext } from "./command-context.ts";
import { inputsOf, type ParsedInputs, withInputs } from "./input-flags.ts";

interface RenderArguments extends ParsedInputs {
  readonly output: (typeof RENDER_FORMATS)[number];
  readonly section?: SectionName | undefined;
  readonly explain: boolean;
  readonly service: readonly string[];
}

export function renderCommand(context: CommandContext) {
  return {
    command: "render [path..]",
    describe: "print what would be in the kernel",
    builder: (argv: Argv) =>
      withInputs(argv)
        .option("output", {
          alias: "o",
          choices: RENDER_FORMATS,
          default: "text" as const,
          describe: "output format",
        })
        .option("section", { choices: SECTIONS, describe: "print this section alone, fit to be piped into its tool" })
        .option("explain", { type: "boolean", default: false, describe: "put the reason before each rule" })
        .option("service", {
          type: "string",
          array: true,
          default: [],
          describe: "print only this Service, NAMESPACE/NAME[:PORT]; repeatable",
        })
        .example("$0 shop.yaml --node worker-a", "all sections")
        .example("$0 shop.yaml --section iptables | iptables-restore --noflush", "in an empty namespace"),
    handler: async ({ output: format, section, explain, service: services, ...args }: RenderArguments) => {
      const flags = { format, section, explain, services };
      context.done(await renderPaths(await inputsOf(args, context), flags, context.output));
    },
  };
}
