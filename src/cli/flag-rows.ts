// The flags that fairlead shares with kube-proxy, as rows for help texts.
import type { Argv } from "yargs";
import { ALL_FLAGS } from "../options/flags.ts";
import type { FlagRow } from "../options/table.ts";

/** `--config` and the flags that change rules: what the commands beside `run` take of kube-proxy's. */
export const RULE_FLAGS: readonly FlagRow[] = ALL_FLAGS.filter(
  ({ flag, rules }) => rules === true || flag === "config",
);

/** yargs has a help and a version of its own. */
const YARGS: ReadonlySet<string> = new Set(["help", "version"]);

/** Shows the flags in `--help`; they are read before yargs sees the command line. */
export function withFlags(argv: Argv, rows: readonly FlagRow[]): Argv {
  for (const { flag, meaning, typeName, defaultValue } of rows.filter(({ flag }) => !YARGS.has(flag))) {
    const shown = JSON.stringify(defaultValue);
    argv.option(flag, { group: "kube-proxy's:", describe: `${meaning} (${typeName}, default ${shown})` });
  }
  return argv;
}
