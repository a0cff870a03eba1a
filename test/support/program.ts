// Which program is the node proxy that tests start?
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The command that starts it, and its first arguments. */
export type Program = readonly string[];

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** In the private /run of the sandbox, so it is never older than the sources. */
const BUILD = "/run/fairlead-build";

const MAIN = join(BUILD, "dist/main.js");

/** Starts Node without what tap loads into every Node process: for programs that no coverage is taken of. */
export const PLAIN_NODE: Program = ["/usr/bin/env", "-u", "NODE_OPTIONS", process.execPath];

/** The sources as they stand: slow to start, but what runs counts as covered. For those files that start each command. */
export const SOURCES: Program = [process.execPath, "--import=tsx", join(ROOT, "src/main.ts")];

/** The sources built as for a release, once for each test file: starts in a third of the time. */
export function built(): Program {
  if (!existsSync(MAIN)) build();
  return [...PLAIN_NODE, MAIN];
}

// Types are checked elsewhere: a program that does not pass is built and tried all the same.
function build(): void {
  mkdirSync(BUILD);
  for (const name of ["node_modules", "package.json", "rules-templates"]) {
    symlinkSync(join(ROOT, name), join(BUILD, name));
  }
  const [command = "", ...node] = PLAIN_NODE;
  const bundle = [...node, join(ROOT, "scripts/bundle.mjs"), join(BUILD, "dist")];
  const { error, stdout, stderr } = spawnSync(command, bundle, { encoding: "utf8" });
  if (!existsSync(MAIN)) throw new Error(`the build made no program: ${error?.message ?? `${stdout}${stderr}`}`);
}
