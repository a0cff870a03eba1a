// Does the example for CI pass, and fail as its README shows when a path is cut?
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { parse } from "yaml";
import { z } from "zod";
import { FIXTURES } from "../support/golden.ts";

const EXAMPLE = join(FIXTURES, "ci-example");
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const LOADER = import.meta.resolve("tsx");

/** How the workflow calls the program that it has built. */
const BUILT = "node .fairlead/dist/main.js";

const Workflow = z.object({
  jobs: z.object({ packets: z.object({ steps: z.array(z.object({ run: z.string().optional() })) }) }),
});

/** The step that tests, as it is written. */
function stepOf(): string {
  const text = readFileSync(join(EXAMPLE, ".github/workflows/packets.yaml"), "utf8");
  const { steps } = Workflow.parse(parse(text)).jobs.packets;
  const run = steps.map((step) => step.run ?? "").find((command) => command.startsWith(BUILT));
  if (run === undefined) throw new Error("the workflow has no step that tests");
  return run;
}

/** A repository with the example in it. */
function copyOf(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  cpSync(EXAMPLE, folder, { recursive: true });
  return folder;
}

function run(command: string, cwd: string) {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const fairlead = `${process.execPath} --import=${LOADER} ${join(ROOT, "src/main.ts")}`;
  const { status, stdout, stderr } = spawnSync("bash", ["-ec", command.replace(BUILT, fairlead)], {
    cwd,
    env,
    encoding: "utf8",
    timeout: 60_000,
  });
  return { status, stdout, stderr };
}

t.test("what the workflow runs passes", async (t) => {
  t.strictSame(run(stepOf(), copyOf(t)), { status: 0, stdout: "14 passed, 0 failed\n", stderr: "" });
});

t.test("a policy that cuts a path fails the check, beside the lines of the cases", async (t) => {
  const folder = copyOf(t);
  cpSync(join(EXAMPLE, "broken"), join(folder, "manifests"), { recursive: true });
  const { status, stdout, stderr } = run(stepOf(), folder);
  t.equal(status, 1);
  t.equal(stderr, "");
  const annotations = stdout.split("\n").filter((line) => line.startsWith("::error "));
  const places = annotations.map((line) => /file=cases\.yaml,line=(\d+),title=([^:]*)::/.exec(line)?.slice(1, 3));
  t.strictSame(places, [
    ["6", "a visitor comes in by the load balancer (iptables)"],
    ["6", "a visitor comes in by the load balancer (ipvs)"],
    ["13", "a partner comes in by the port of this node (iptables)"],
  ]);
});

t.test("it fails as the README shows", async (t) => {
  const readme = readFileSync(join(EXAMPLE, "README.md"), "utf8");
  const [, block = ""] = /```console\n([\s\S]*?)```/.exec(readme) ?? [];
  const lines = block.split("\n");
  const commands = lines.filter((line) => line.startsWith("$ ")).map((line) => line.slice(2));
  const shown = lines.filter((line) => !line.startsWith("$ "));
  const command = commands.join("\n").replace(/^fairlead /m, `${BUILT} `);
  const { status, stdout } = run(command, copyOf(t));
  t.equal(status, 1);
  t.strictSame(stdout.split("\n"), shown);
});
