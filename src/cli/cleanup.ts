// Flags of `fairlead cleanup`.
import type { Argv } from "yargs";
import { cleanHost } from "../commands/host-cleanup.ts";
import type { CommandContext } from "./command-context.ts";

export function cleanupCommand({ output, done }: CommandContext) {
  return {
    command: "cleanup",
    describe: "remove all fairlead and kube-proxy rules",
    builder: (argv: Argv) =>
      argv
        .option("dry-run", { type: "boolean", default: false, describe: "only print what would be removed" })
        .example("$0 --dry-run", "print what would be removed")
        .example("$0", "remove it"),
    handler: async (args: { dryRun: boolean }) => done(await cleanHost({ dryRun: args.dryRun, output })),
  };
}
