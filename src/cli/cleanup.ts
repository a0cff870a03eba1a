// Flags of `fairlead cleanup`.
import type { Argv } from "yargs";
import { cleanHost } from "../commands/host-cleanup.ts";
import type { CommandContext } from "./command-context.ts";

/** Layouts that can be removed alone: the chains of Compat are kube-proxy's own. */
const LAYOUTS = ["Indexed"] as const;

export function cleanupCommand({ output, done }: CommandContext) {
  return {
    command: "cleanup",
    describe: "remove all fairlead and kube-proxy rules",
    builder: (argv: Argv) =>
      argv
        .option("dry-run", { type: "boolean", default: false, describe: "only print what would be removed" })
        .option("layout", {
          choices: LAYOUTS,
          describe: "only remove what belongs to this layout; Services must be served by another proxy or layout",
        })
        .example("$0 --dry-run", "print what would be removed")
        .example("$0", "remove it")
        .example("$0 --layout Indexed", "remove what is left of layout Indexed, beside a running kube-proxy"),
    handler: async ({ dryRun, layout }: { dryRun: boolean; layout?: (typeof LAYOUTS)[number] | undefined }) =>
      done(await cleanHost({ dryRun, layout, output })),
  };
}
