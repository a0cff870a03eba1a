// Do types, walls, format and coverage hold?
import { spawnSync } from "node:child_process";

/** @typedef {{ name: string, ok: boolean }} Check */

/** What is checked before the tests: its name, and its npm script. */
const CHECKS = [
  { name: "types", script: "types" },
  { name: "walls between the layers", script: "layers" },
  { name: "format and lint", script: "lint" },
];

/**
 * Runs every check, also when one fails; each prints its own findings.
 * @returns {Check[]}
 */
export function runChecks() {
  return CHECKS.map(({ name, script }) => report(name, spawnSync("npm", ["run", "--silent", script], SHOWN).status));
}

/**
 * Prints what the tests have not reached. It is held against them only where the kernel tests could run, as parts of
 * the source are reached by no other.
 * @param {{ demanded: boolean }} what
 * @returns {Check}
 */
export function checkCoverage({ demanded }) {
  const { status } = spawnSync("node_modules/.bin/tap", ["report", "text"], SHOWN);
  const name = demanded ? "coverage" : "coverage (not demanded: kernel tests were skipped)";
  return report(name, demanded ? status : 0);
}

/** @type {import("node:child_process").SpawnSyncOptions} */
const SHOWN = { stdio: ["ignore", "inherit", "inherit"] };

/**
 * @param {string} name
 * @param {number | null} status
 */
function report(name, status) {
  console.log(`${status === 0 ? "ok" : "not ok"}  ${name}`);
  return { name, ok: status === 0 };
}
