// Which flags has `cleanup`?
import type { Argv } from "yargs";
import { cleanHost } from "../commands/host-cleanup.ts";
import type { CommandContext } from "./command-context.ts";

export function cleanupCommand({ output, done }: CommandContext) {
  return {
    command: "cleanup",
    describe: "take away all rules of fairlead and of kube-proxy",
    builder: (argv: Argv) =>
      argv
        .option("dry-run", { type: "boolean", default: false, describe: "only say what would go" })
        .example("$0 --dry-run", "see what there is")
        .example("$0", "take it away"),
    handler: async (args: { dryRun: boolean }) => done((await cleanHost({ dryRun: args.dryRun, output })) ? 0 : 1),
  };
}
