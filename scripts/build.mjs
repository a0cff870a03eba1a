// How does `dist/` come to be? From `src/` alone, anew each time, so that no file of an earlier build stays behind.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

rmSync(`${root}/dist`, { recursive: true, force: true });
const { status } = spawnSync(`${root}/node_modules/.bin/tsc`, ["-p", `${root}/scripts/tsconfig.build.json`], {
  stdio: "inherit",
});
if (existsSync(`${root}/dist/main.js`)) chmodSync(`${root}/dist/main.js`, 0o755);
process.exit(status ?? 1);
