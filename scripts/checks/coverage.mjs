// Which lines of the source have the tests not reached?
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

const FOLDER = ".tap/coverage";

/**
 * Prints every file that is not reached whole, and says whether there is none. A file that holds no more than types is
 * never loaded, and is not looked for.
 */
export function isCovered() {
  const loaded = new Set(existsSync(FOLDER) ? readdirSync(FOLDER).flatMap(loadedFiles) : []);
  const unseen = filesWithCode().filter((file) => !loaded.has(new URL(`../../${file}`, import.meta.url).href));
  for (const file of unseen) console.log(`no test loads ${file}`);
  const args = ["report", "text", "--no-show-full-coverage"];
  const { status } = spawnSync("node_modules/.bin/tap", args, { stdio: ["ignore", "inherit", "inherit"] });
  return status === 0 && unseen.length === 0;
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
