// Is a text what its golden file says? With FAIRLEAD_GOLDEN=write the file is written instead (`npm run golden`).
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
/** The folder of this checkout that holds all fixtures. */
export const FIXTURES = fileURLToPath(new URL("../../fixtures/", import.meta.url));
const WRITE = process.env.FAIRLEAD_GOLDEN === "write";
/** Compares line by line, so that a difference is shown as lines. */
export function matchGolden(t, path, text) {
    if (WRITE) {
        if (!existsSync(path) || readFileSync(path, "utf8") !== text)
            writeFileSync(path, text);
        t.pass(`written: ${path}`);
        return;
    }
    const golden = existsSync(path) ? readFileSync(path, "utf8") : "";
    t.strictSame(text.split("\n"), golden.split("\n"), path.slice(FIXTURES.length));
}
