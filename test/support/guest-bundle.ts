// How does a test file get into the guest, where to load each of its modules by itself takes a minute?
import { mkdirSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { GUEST_PROGRAM } from "./guest-program.ts";

/** Inside the checkout, where the packages that cannot be bundled are found from. */
const FOLDER = fileURLToPath(new URL("../../.tap/vm/", import.meta.url));

const PROGRAM = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

/** Some modules of tap still ask for `require`. */
const BANNER =
  'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);';

// A module of the bundle still finds the files that stand beside its source.
const ownPlace: Plugin = {
  name: "own-place",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      return { contents: text.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href)), loader: "ts" };
    });
  },
};

/**
 * Makes one module of each of these test files and of all that it imports, and says where they are.
 * The node proxy itself is made one beside them. `group` is the name of their folder.
 */
export async function bundleForGuest(files: readonly string[], group: string): Promise<readonly string[]> {
  const folder = join(FOLDER, group);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [
      ...files.map((file) => ({ in: file, out: basename(file, ".ts") })),
      { in: PROGRAM, out: GUEST_PROGRAM },
    ],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    // What is read there is read ten times as slowly.
    minifyWhitespace: true,
    platform: "node",
    format: "esm",
    target: "node20",
    banner: { js: BANNER },
    plugins: [ownPlace],
    // Its compiled half lies beside its source.
    external: ["netlink"],
    logLevel: "error",
  });
  return files.map((file) => join(folder, `${basename(file, ".ts")}.mjs`));
}
