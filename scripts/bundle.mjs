// How do the sources become few files? `node scripts/bundle.mjs FOLDER`: each module that is loaded by itself costs a
// running node memory, and so does each part of a package that nobody calls. Types are not checked here.
import { chmodSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const [outdir = `${root}/dist`] = process.argv.slice(2);

/** Packages of CommonJS ask for modules of Node this way. */
const REQUIRE = `import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);`;

/**
 * The package looks for its native half beside itself, so it is told where it was installed. Wireless devices and
 * tunnels, half of its text, are never spoken to.
 * @type {import("esbuild").Plugin}
 */
const netlink = {
  name: "netlink",
  setup({ onLoad }) {
    const home = `require("node:path").dirname(require.resolve("netlink/package.json"))`;
    onLoad({ filter: /\/netlink\/dist\/raw\.js$/ }, ({ path }) => {
      return { contents: replaceOnce(readFileSync(path, "utf8"), "__dirname + '/..'", home) };
    });
    onLoad({ filter: /\/netlink\/dist\/(?:nl80211|wg)\// }, () => ({ contents: "" }));
  },
};

await build({
  entryPoints: [`${root}/src/main.ts`],
  outdir,
  // Two folders deep as the sources are, so that what lies beside the sources is found from here too.
  chunkNames: "parts/[name]-[hash]",
  bundle: true,
  splitting: true,
  platform: "node",
  format: "esm",
  target: "node20.19",
  banner: { js: REQUIRE },
  // Names stay, for whoever reads the trace of an error.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
  plugins: [netlink],
  logLevel: "warning",
});
chmodSync(`${outdir}/main.js`, 0o755);

/**
 * @param {string} text
 * @param {string} part
 * @param {string} other
 */
function replaceOnce(text, part, other) {
  if (text.split(part).length !== 2) throw new Error(`the package has another text than it had: no ${part}`);
  return text.replace(part, other);
}
