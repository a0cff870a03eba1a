// The flags of the test command.
import type { Argv } from "yargs";
import { isColourWelcome } from "../commands/colour.ts";
import { testPaths } from "../commands/test/command.ts";
import { TEST_FORMATS, type TestFormat } from "../commands/test/print.ts";
import type { CommandContext } from "./command-context.ts";
import { inputsOf, type ParsedInputs, withInputs } from "./input-flags.ts";

interface TestArguments extends ParsedInputs {
  readonly manifests: readonly string[];
  readonly output: TestFormat;
  readonly noColor: boolean;
}

export function testCommand(context: CommandContext) {
  return {
    command: "test <path..>",
    describe: "run packet cases as a test suite",
    builder: (argv: Argv) =>
      withInputs(argv)
        .positional("path", { type: "string", array: true, default: [], describe: "case files" })
        .option("manifests", {
          type: "string",
          array: true,
          default: [],
          describe: "manifest files or directories, in addition to those that case files list; repeatable",
        })
        .option("output", { alias: "o", choices: TEST_FORMATS, default: "text" as const, describe: "output format" })
        .option("no-color", { type: "boolean", default: false, describe: "disable colour" })
        .example("$0 cases.yaml --manifests k8s/ --cluster-cidr 10.244.0.0/16", "exit with 1 if a case fails")
        .example("$0 cases.yaml --manifests k8s/ -o github", "annotate a pull request"),
    handler: async ({ manifests, output: format, noColor, ...args }: TestArguments) => {
      const cases = args.path.map(String);
      // Case files may list all manifests.
      const input = await inputsOf({ ...args, path: manifests, withoutObjects: true }, context);
      const flags = { cases, format, colour: isColourWelcome(context.output, noColor) };
      context.done(await testPaths(input, flags, context.output));
    },
  };
}
