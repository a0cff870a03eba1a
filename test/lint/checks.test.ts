// Compares the output of lint for each manifest in fixtures/lint with its golden file.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { runCommandLine } from "../../src/cli.ts";
import { CHECKS } from "../../src/lint/lint.ts";
import { CollectedOutput } from "../support/collected-output.ts";
import { FIXTURES, matchGolden } from "../support/golden.ts";

const FOLDER = join(FIXTURES, "lint");

/** Checks that need more objects than a manifest should have; see scale.test.ts. */
const WITHOUT_MANIFEST: readonly string[] = ["set-size", "layout"];

async function lint(...args: string[]) {
  const output = new CollectedOutput();
  const code = await runCommandLine(["lint", ...args], output);
  return { code, text: output.text.replaceAll(`${FIXTURES}`, ""), notes: output.notes };
}

for (const file of readdirSync(FOLDER)
  .filter((name) => name.endsWith(".yaml"))
  .sort()) {
  t.test(file, async (t) => {
    const path = join(FOLDER, file);
    const flags = /^# flags: (.*)$/m.exec(readFileSync(path, "utf8"))?.[1]?.split(" ") ?? [];
    const { code, text } = await lint(path, ...flags);
    matchGolden(t, path.replace(/yaml$/, "txt"), text);
    const id = file.replace(/(-ipvs|-unknown-node)?\.yaml$/, "");
    t.match(text, `[${id}]`, "the finding of the check is there");
    t.equal(code, text.includes("[unreadable]") ? 2 : 1, "exit code");
  });
}

t.test("every check has a manifest named after it", (t) => {
  const files = readdirSync(FOLDER);
  for (const { id } of CHECKS) {
    t.equal(files.includes(`${id}.yaml`), !WITHOUT_MANIFEST.includes(id), id);
  }
  t.end();
});

t.test("only the Service without endpoints of the demo is reported", async (t) => {
  const { code, text } = await lint(join(FIXTURES, "demo"));
  t.equal(code, 1);
  t.match(
    text,
    /^demo\/asleep\.yaml:\d+: warning: Service demo\/asleep: .*\n {2}effect: connections are rejected\n {2}fix: .*\n0 errors, 1 warning \(3 Services in 4 files checked\)\n$/,
  );
  const clean = ["dns.yaml", "node.yaml", "web.yaml"].map((file) => join(FIXTURES, "demo", file));
  t.strictSame(await lint(...clean), { code: 0, text: "no findings (2 Services in 3 files checked)\n", notes: [] });
});
