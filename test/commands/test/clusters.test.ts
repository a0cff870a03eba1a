// Tests packet cases against the example clusters.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { runCommandLine } from "../../../src/cli.ts";
import { CollectedOutput } from "../../support/collected-output.ts";
import { FIXTURES } from "../../support/golden.ts";

const CLUSTERS = join(FIXTURES, "clusters");

const folder = mkdtempSync(join(tmpdir(), "fairlead-"));

t.teardown(() => rmSync(folder, { recursive: true }));

for (const name of readdirSync(CLUSTERS)) {
  const packets = join(CLUSTERS, name, "packets.yaml");
  if (!existsSync(packets) || readFileSync(packets, "utf8").replace(/^#.*$/gm, "").trim() === "") continue;
  t.test(name, async (t) => {
    const file = join(folder, `${name}.yaml`);
    writeFileSync(file, `cases:\n${readFileSync(packets, "utf8")}`);
    const facts = join(CLUSTERS, name, "node-facts.yaml");
    const machine = existsSync(facts) ? ["--node-facts", facts] : [];
    const inputs = [
      "--manifests",
      join(CLUSTERS, name, "cluster.yaml"),
      "--config",
      join(CLUSTERS, name, "config.yaml"),
    ];
    const output = new CollectedOutput();
    const code = await runCommandLine(["test", file, "--keep-going", ...inputs, ...machine], output);
    const expected = existsSync(join(CLUSTERS, name, "problems.txt")) ? 2 : 0;
    t.equal(code, expected, "exit code");
    t.match(output.text, /, 0 failed(?:, 1 file with unusable input)?\n$/, "all packets end as they should");
  });
}
