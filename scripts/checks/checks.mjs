// Runs the checks of types, layers, format, wording and coverage.
import { spawnSync } from "node:child_process";
import { isCovered } from "./coverage.mjs";

/** @typedef {{ name: string, ok: boolean }} Check */

/** The checks before the tests: name and npm script. */
const CHECKS = [
  { name: "types", script: "types" },
  { name: "imports between layers", script: "layers" },
  { name: "format and lint", script: "lint" },
  { name: "wording", script: "words" },
];

/**
 * Runs every check, also when one fails; each prints its own findings.
 * @returns {Check[]}
 */
export function runChecks() {
  return CHECKS.map(({ name, script }) =>
    report(name, spawnSync("npm", ["run", "--silent", script], SHOWN).status === 0),
  );
}

/**
 * Prints the source lines that no test reached. Coverage is demanded only where the kernel tests could run, because
 * only they reach parts of the source.
 * @param {{ demanded: boolean }} what
 * @returns {Check[]}
 */
export function checkCoverage({ demanded }) {
  const covered = isCovered();
  if (demanded) return [report("coverage", covered)];
  console.log("coverage is not demanded where kernel tests were skipped");
  return [];
}

/** @type {import("node:child_process").SpawnSyncOptions} */
const SHOWN = { stdio: ["ignore", "inherit", "inherit"] };

/**
 * @param {string} name
 * @param {boolean} ok
 */
function report(name, ok) {
  console.log(`${ok ? "ok" : "not ok"}  ${name}`);
  return { name, ok };
}
