// Checks the language of the source: first lines of files, and words that our vocabulary replaced.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Folders and files whose language is checked. Add to this list; never remove from it. */
const CHECKED = [
  "src/lint",
  "src/options",
  "src/net",
  "src/cli/lint.ts",
  "src/commands/lint.ts",
  "src/commands/lint-objects.ts",
  "src/commands/lint-print.ts",
  "test/lint",
  "test/commands/lint.test.ts",
  "test/commands/lint-objects.test.ts",
  "fixtures/lint",
  "scripts/checks/words.mjs",
];

/** File types with text for people; manifests and golden files are checked too. */
const EXTENSIONS = [".ts", ".mjs", ".md", ".yaml", ".txt", ".rules"];

/** Source files begin with a comment that says what they contain. */
const SOURCE = /\.(ts|mjs)$/;

/**
 * Words and phrases that readers would not search for, each with its replacement. Matched as whole words, in any case.
 * @type {readonly (readonly [pattern: string, use: string])[]}
 */
const REPLACED = [
  ["nobody|somebody|whoever", "name the actor: the client, the API server, the kernel"],
  ["is told|are told", "is reported, is known"],
  ["all else|all the same", "the rest; nevertheless"],
  ["in place of", "instead of"],
  ["stands for|stand for", "represents, means"],
  ["of late", "recently"],
  ["what (?:is|was|has been|comes|stands|goes) (?:\\w+ )?(?:of|in|for|there)", "name the noun"],
  ["held back|holds back", "delayed, quarantined"],
  ["done without", "skipped"],
  ["set aside", "quarantined"],
  ["left out|leaves? out", "skipped, omitted"],
  ["passed over|pass(?:es)? over", "ignored, skipped"],
  ["takes? away|taken away", "removes"],
  ["goes before|go before", "takes precedence over"],
  ["stands? (?:twice|in the way|beside|before|among|elsewhere)", "is repeated, precedes, is next to"],
  ["wish(?:es)?", "request, preference"],
  ["culprit", "quarantined Service"],
  ["by chance", "undefined, either one"],
  ["is no (?:ip|number|mapping|address|list)", "is not a"],
];

const PATTERNS = REPLACED.map(([pattern, use]) => ({ pattern: new RegExp(`\\b(?:${pattern})\\b`, "i"), use }));

/**
 * @param {string} path
 * @returns {string[]}
 */
function filesOf(path) {
  if (statSync(join(ROOT, path)).isFile()) return [path];
  return readdirSync(join(ROOT, path), { recursive: true, encoding: "utf8" })
    .filter((file) => EXTENSIONS.some((each) => file.endsWith(each)))
    .map((file) => join(path, file));
}

/**
 * @param {string} file
 * @returns {string[]}
 */
function problemsOf(file) {
  const lines = readFileSync(join(ROOT, file), "utf8").split("\n");
  const problems = [];
  const header = lines.find((line) => !line.startsWith("#!")) ?? "";
  if (SOURCE.test(file) && !header.startsWith("//") && !header.startsWith("/**"))
    problems.push(`${file}:1: begin the file with a comment that says what it contains`);
  if (SOURCE.test(file) && /\?(\s|$)/.test(header))
    problems.push(`${file}:1: write a statement that says what the file contains, not a question`);
  // This file has to list the words.
  if (file === "scripts/checks/words.mjs") return problems;
  for (const [index, line] of lines.entries()) {
    for (const { pattern, use } of PATTERNS) {
      const [found] = pattern.exec(line) ?? [];
      if (found !== undefined) problems.push(`${file}:${index + 1}: replace "${found}" (${use})`);
    }
  }
  return problems;
}

const problems = CHECKED.flatMap(filesOf).flatMap(problemsOf);
for (const problem of problems) console.error(problem);
console.log(`${problems.length} problems of wording in ${CHECKED.length} folders and files`);
process.exitCode = problems.length === 0 ? 0 : 1;
