// Does `render` print, for every cluster and family, what its golden file says?
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { runCommandLine } from "../src/cli.ts";
import { CollectedOutput } from "./support/collected-output.ts";
import { FIXTURES, matchGolden } from "./support/golden.ts";
import { modeOf } from "./support/wanted.ts";

const CLUSTERS = join(FIXTURES, "clusters");

for (const name of readdirSync(CLUSTERS).sort()) {
  const folder = join(CLUSTERS, name);
  t.test(name, async (t) => {
    const mode = modeOf(folder);
    const problems = linesOf(join(folder, "problems.txt"));
    for (const [family, short] of [
      ["ipv4", "v4"],
      ["ipv6", "v6"],
    ] as const) {
      const output = new CollectedOutput();
      const code = await runCommandLine([...renderArguments(folder), "--ip-family", family], output);
      matchGolden(t, join(folder, `${mode}.${short}.rules`), output.text);
      t.equal(code, problems.length === 0 ? 0 : 2, "exit code");
      t.strictSame(
        output.notes.map((note) => note.replace(`error: ${folder}/`, "")),
        problems,
        "what was left out",
      );
    }
  });
}

function renderArguments(folder: string): readonly string[] {
  const facts = join(folder, "node-facts.yaml");
  return [
    "render",
    join(folder, "cluster.yaml"),
    ...["--config", join(folder, "config.yaml")],
    ...(existsSync(facts) ? ["--node-facts", facts] : []),
  ];
}

function linesOf(path: string): readonly string[] {
  return existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    : [];
}
