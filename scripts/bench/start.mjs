// How does the bench start? Bundled as the daemon is, for a loader of sources gives each function a name of its own at
// run time, which costs more than many a thing that is measured.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));

/** As deep as the sources, so that what lies beside them is found from here too. */
const outdir = fileURLToPath(new URL("../.bench", import.meta.url));

await build({
  entryPoints: ["main", "scene", "first-sync", "api-server"].map((name) => `${here}${name}.ts`),
  outdir,
  bundle: true,
  splitting: true,
  platform: "node",
  format: "esm",
  target: "node20.19",
  packages: "external",
  logLevel: "warning",
});
await import(`${outdir}/main.js`);
