// Can the coverage report read the source? tap runs this between the last test and the report.
//
// In place of sources, tsx puts nothing into its source maps, which the report takes for empty files, covered whole.
// Without that entry it reads the files themselves.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

// tap watches this file too, which no test is about.
/* c8 ignore start */
const folder = fileURLToPath(new URL("../../.tap/coverage/", import.meta.url));

for (const name of existsSync(folder) ? readdirSync(folder) : []) {
  const report = JSON.parse(readFileSync(folder + name, "utf8"));
  for (const { data } of Object.values(report["source-map-cache"] ?? {})) {
    if (data?.sourcesContent?.includes(null)) delete data.sourcesContent;
  }
  writeFileSync(folder + name, JSON.stringify(report));
}
/* c8 ignore stop */
