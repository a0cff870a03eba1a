// Can the coverage report read the source? tap runs this between the last test and the report.
//
// In place of sources, tsx puts nothing into its source maps, which the report takes for empty files, covered whole.
// Without that entry it reads the files themselves.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

// tap watches this file too, which no test is about.
/* c8 ignore start */
const folder = fileURLToPath(new URL("../../.tap/coverage/", import.meta.url));

const reports = (existsSync(folder) ? readdirSync(folder) : []).map((name) => {
  return { name, report: JSON.parse(readFileSync(folder + name, "utf8")) };
});

/** Of each module, how often it was loaded in which of the texts that it was translated to: their line lengths. */
const texts = new Map();
for (const { report } of reports) {
  for (const [url, { lineLengths }] of Object.entries(report["source-map-cache"] ?? {})) {
    const counts = texts.get(url) ?? new Map();
    texts.set(url, counts.set(String(lineLengths), (counts.get(String(lineLengths)) ?? 0) + 1));
  }
}
const usual = new Map([...texts].map(([url, counts]) => [url, [...counts].sort(([, a], [, b]) => b - a)[0][0]]));

for (const { name, report } of reports) {
  const cache = report["source-map-cache"] ?? {};
  // Places in two texts of one module cannot be added up, so what was counted in the rarer one is left out.
  report.result = report.result.filter(({ url }) => !cache[url] || String(cache[url].lineLengths) === usual.get(url));
  for (const [url, { data, lineLengths }] of Object.entries(cache)) {
    if (String(lineLengths) !== usual.get(url)) delete cache[url];
    else if (data?.sourcesContent?.includes(null)) delete data.sourcesContent;
  }
  writeFileSync(folder + name, JSON.stringify(report));
}
/* c8 ignore stop */
