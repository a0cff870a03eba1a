// What do the tests say? Runs tap, shows a line for each file and every failure, and keeps the totals that tap counts.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Parser } from "tap-parser";
import { toolEnvironment } from "../install/tools.mjs";

/**
 * @typedef {{ passed: number, failed: number, skipped: number, failures: string[],
 *   skips: { name: string, reason: string }[] }} Totals
 */

/**
 * Runs these test files or folders, all if none is named. A run that ends badly without a failing assert counts as one
 * failure.
 * @param {string[]} files
 * @param {{ coverage: boolean }} options
 * @returns {Promise<Totals>}
 */
export async function runTests(files, { coverage }) {
  const flags = ["--reporter=tap", coverage ? "--allow-incomplete-coverage" : "--disable-coverage"];
  const tap = spawn("node_modules/.bin/tap", [...flags, ...files.flatMap(testsIn)], {
    env: { ...toolEnvironment(), TAP: "1", NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  /** @type {Totals} */
  const totals = { passed: 0, failed: 0, skipped: 0, failures: [], skips: [] };
  const parser = new Parser();
  follow(parser, totals);
  parser.on("comment", (comment) => readTotals(comment, totals));
  parser.on("assert", ({ ok, name, time }) => {
    console.log(`${ok ? "ok" : "not ok"}  ${name}${time === null ? "" : `  ${(time / 1000).toFixed(1)} s`}`);
  });
  tap.stdout.pipe(parser);
  const [[status, signal]] = await Promise.all([once(tap, "exit"), once(parser, "complete")]);
  if (status !== 0 && totals.failed === 0) {
    totals.failed = 1;
    totals.failures.push(`tap ended with ${signal ?? `status ${status}`}`);
  }
  return totals;
}

/**
 * @param {string} path of a test file, or of a folder of them
 * @returns {string[]}
 */
function testsIn(path) {
  if (!existsSync(path) || !statSync(path).isDirectory()) return [path];
  const names = readdirSync(path, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".test.ts")).map((name) => join(path, name));
}

/**
 * @param {Parser} parser
 * @param {Totals} totals
 */
function follow(parser, totals) {
  parser.on("child", (child) => follow(child, totals));
  parser.on("assert", ({ ok, skip, todo, fullname, diag }) => {
    if (skip) totals.skips.push({ name: fullname, reason: skip === true ? "no reason given" : skip });
    // What stands around a failure fails with it, and is only told when it fails by itself.
    const inside = totals.failures.some((failure) => failure.startsWith(`${fullname} > `));
    if (ok || skip || todo || inside) return;
    totals.failures.push(fullname);
    console.log(`not ok  ${fullname}${diag ? `\n${explain(diag)}` : ""}`);
  });
}

/**
 * tap closes its run with a comment such as `# { total: 59, pass: 58, skip: 1 }`, in which each assert counts once.
 * @param {string} comment
 * @param {Totals} totals
 */
function readTotals(comment, totals) {
  if (!/^# \{ total: /.test(comment)) return;
  const count = (/** @type {string} */ key) => Number(new RegExp(` ${key}: (\\d+)`).exec(comment)?.[1] ?? 0);
  totals.passed = count("pass");
  totals.failed = count("fail");
  totals.skipped = count("skip") + count("todo");
}

/** @param {Record<string, unknown>} diag */
function explain(diag) {
  const parts = Object.entries(diag).filter(([key]) => !["at", "source"].includes(key));
  const lines = parts.map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
  return lines.join("\n").replace(/^/gm, "    ");
}
