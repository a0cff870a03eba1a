// How does `dist/` come to be? From `src/` alone, anew each time, so that no file of an earlier build stays behind.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

rmSync(`${root}/dist`, { recursive: true, force: true });
run(`${root}/node_modules/.bin/tsc`, ["-p", `${root}/scripts/tsconfig.build.json`]);
run(process.execPath, [`${root}/scripts/bundle.mjs`, `${root}/dist`]);

/** @param {string} program @param {string[]} args */
function run(program, args) {
  const { status } = spawnSync(program, args, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
