// Do types, walls, format and coverage hold?
import { spawnSync } from "node:child_process";
import { isCovered } from "./coverage.mjs";

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
  return CHECKS.map(({ name, script }) =>
    report(name, spawnSync("npm", ["run", "--silent", script], SHOWN).status === 0),
  );
}

/**
 * Prints what the tests have not reached. It is held against them only where the kernel tests could run, as parts of
 * the source are reached by no other.
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
