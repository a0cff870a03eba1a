// Are the node packages of the lock file here? What is missing is installed.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The class that tests see; tap writes it for the plugins of `.taprc`, but one run too late for that run. */
const TEST_CLASS = `${root}node_modules/@tapjs/test/test-built/dist/esm/index.js`;

/** Installs what differs from the lock file; touches nothing when nothing does. Throws an Error when npm fails. */
export function installPackages() {
  const missing = missingPackages();
  if (missing.length === 0) return;
  console.error(`Installing node packages (${missing.length} missing or of another version)`);
  run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], "the node packages could not be installed");
}

/** Makes tap ready for `.taprc`, after the packages are there. Throws an Error when tap fails. */
export function prepareTap() {
  const built = readFileSync(TEST_CLASS, "utf8");
  const unwanted = readFileSync(`${root}.taprc`, "utf8").matchAll(/^ {2}- "!(.+)"$/gm);
  if (![...unwanted].some(([, plugin]) => built.includes(`"${plugin}"`))) return;
  run(`${root}node_modules/.bin/tap`, ["build"], "tap could not be prepared");
}

function missingPackages() {
  const wanted = packagesOf(`${root}package-lock.json`);
  const present = packagesOf(`${root}node_modules/.package-lock.json`);
  return Object.entries(wanted)
    .filter(([path, { version }]) => path !== "" && present[path]?.version !== version)
    .filter(([, { optional }]) => !optional)
    .map(([path]) => path);
}

/** @param {string} lockFile */
function packagesOf(lockFile) {
  return existsSync(lockFile) ? JSON.parse(readFileSync(lockFile, "utf8")).packages : {};
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} failure
 */
function run(command, args, failure) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error(`${failure}: ${error?.message ?? `${command} ${args[0]} ended with ${status}`}`);
}
