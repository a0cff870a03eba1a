// Does `render` print, for every cluster, layout and family, what its golden file says?
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { parseDocument } from "yaml";
import { runCommandLine } from "../src/cli.ts";
import { CollectedOutput } from "./support/collected-output.ts";
import { FIXTURES, matchGolden } from "./support/golden.ts";
import { modeOf } from "./support/wanted.ts";

const CLUSTERS = join(FIXTURES, "clusters");

const LAYOUTS = { iptables: ["Compat", "Indexed"], ipvs: ["Compat"] } as const;

const SHORT = { ipv4: "v4", ipv6: "v6" } as const;

for (const name of readdirSync(CLUSTERS).sort()) {
  const folder = join(CLUSTERS, name);
  t.test(name, async (t) => {
    const mode = modeOf(folder);
    const problems = linesOf(join(folder, "problems.txt"));
    for (const [layout, family] of LAYOUTS[mode].flatMap(bothFamilies)) {
      const config = layout === "Compat" ? join(folder, "config.yaml") : indexedConfig(t, folder);
      const output = new CollectedOutput();
      const code = await runCommandLine([...renderArguments(folder, config), "--ip-family", family], output);
      const file = layout === "Compat" ? mode : "indexed";
      matchGolden(t, join(folder, `${file}.${SHORT[family]}.rules`), output.text);
      t.equal(code, problems.length === 0 ? 0 : 2, "exit code");
      const notes = output.notes.map((note) => note.replace(`error: ${folder}/`, ""));
      t.strictSame(notes.slice(0, problems.length), problems, "invalid objects are named");
      t.match(notes.slice(problems.length), [/^note: rendered \d+ Services?, 1 family, \d+ chains$/]);
      t.equal(notes.length, problems.length + 1, "and nothing else is noted");
    }
  });
}

function bothFamilies<T>(layout: T): readonly (readonly [layout: T, family: keyof typeof SHORT])[] {
  return [
    [layout, "ipv4"],
    [layout, "ipv6"],
  ];
}

/** The folder's configuration, in the other layout. */
function indexedConfig(t: Test, folder: string): string {
  const config = parseDocument(readFileSync(join(folder, "config.yaml"), "utf8"));
  config.setIn(["iptables", "layout"], "Indexed");
  return join(t.testdir({ "config.yaml": config.toString() }), "config.yaml");
}

function renderArguments(folder: string, config: string): readonly string[] {
  const facts = join(folder, "node-facts.yaml");
  return [
    "render",
    join(folder, "cluster.yaml"),
    ...["--config", config],
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
