import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { countProcessors } from "../../src/kernel/processors.ts";

const folder = mkdtempSync(join(tmpdir(), "fairlead-processors-"));
t.teardown(() => rmSync(folder, { recursive: true }));

t.test("this machine", async (t) => {
  t.ok((await countProcessors()) >= availableParallelism(), "at least those that we may use");
});

t.test("processors that are online, and nothing else that is listed there", async (t) => {
  for (const name of ["cpu0/topology", "cpu1/topology", "cpu12/topology", "cpu13", "cpufreq/topology", "cpuidle"]) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  t.equal(await countProcessors(folder), 3);
});

t.test("where the kernel lists none, those that we may use", async (t) => {
  t.equal(await countProcessors(join(folder, "missing")), availableParallelism());
  t.equal(await countProcessors(join(folder, "cpu13")), availableParallelism());
});
