// Which program is the node proxy that tests start?
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** How `node` is told to start it. */
export interface Program {
  readonly arguments: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** In the private /run of the sandbox, so it is never older than the sources. */
const BUILD = "/run/fairlead-build";

const MAIN = join(BUILD, "dist/main.js");

/** For programs that no coverage is taken of: without what tap would load into every Node process. */
export const PLAIN = { NODE_OPTIONS: "" };

/** The sources as they stand: slow to start, but what runs counts as covered. */
export const SOURCES: Program = { arguments: ["--import=tsx", join(ROOT, "src/main.ts")], env: {} };

/** The sources built as for a release, once for each test file: starts in a third of the time. */
export function built(): Program {
  if (!existsSync(MAIN)) build();
  return { arguments: [MAIN], env: PLAIN };
}

// Types are checked elsewhere: a program that does not pass is built and tried all the same.
function build(): void {
  mkdirSync(BUILD);
  for (const name of ["node_modules", "package.json", "rules-templates"]) {
    symlinkSync(join(ROOT, name), join(BUILD, name));
  }
  const options = ["-p", join(ROOT, "scripts/tsconfig.build.json"), "--outDir", join(BUILD, "dist")];
  const env = { ...process.env, ...PLAIN };
  const { error, stdout, stderr } = spawnSync(join(ROOT, "node_modules/.bin/tsc"), options, { env, encoding: "utf8" });
  if (!existsSync(MAIN)) throw new Error(`the build made no program: ${error?.message ?? `${stdout}${stderr}`}`);
}
