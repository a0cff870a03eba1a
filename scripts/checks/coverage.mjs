// Which lines of the source have the tests not reached?
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

const FOLDER = ".tap/coverage";

/**
 * Per cent that must be reached; every file below 100 is listed in each run. A demand of 100 leads to tests that only
 * execute lines. Many branches are the empty side of a look-up that the type checker cannot know to succeed.
 */
const DEMANDED = { lines: 99.5, statements: 99.5, functions: 99.5, branches: 97 };

/**
 * Prints every file that is not reached whole, and says whether what is demanded is reached. A file that holds no more
 * than types is never loaded, and is not looked for.
 */
export function isCovered() {
  const loaded = new Set(existsSync(FOLDER) ? readdirSync(FOLDER).flatMap(loadedFiles) : []);
  const unseen = filesWithCode().filter((file) => !loaded.has(new URL(`../../${file}`, import.meta.url).href));
  for (const file of unseen) console.log(`no test loads ${file}`);
  report("text", "--no-show-full-coverage");
  report("json-summary");
  const { total } = JSON.parse(readFileSync(".tap/report/coverage-summary.json", "utf8"));
  const missed = Object.entries(DEMANDED).filter(([what, percent]) => total[what].pct < percent);
  for (const [what, percent] of missed) console.log(`${total[what].pct} % of ${what}, where ${percent} % are demanded`);
  return missed.length === 0 && unseen.length === 0;
}

/** @param {readonly string[]} args */
function report(...args) {
  const stdout = args[0] === "text" ? "inherit" : "ignore";
  spawnSync("node_modules/.bin/tap", ["report", ...args], { stdio: ["ignore", stdout, "ignore"] });
}

/**
 * @param {string} name of what one process left
 * @returns {string[]}
 */
function loadedFiles(name) {
  return JSON.parse(readFileSync(`${FOLDER}/${name}`, "utf8")).result.map(({ url }) => url);
}

function filesWithCode() {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).map((name) => `src/${name}`);
  const code = /^(export )?(async )?(function|const|class|await|process)\b/m;
  return files.filter((file) => file.endsWith(".ts") && code.test(readFileSync(file, "utf8")));
}
