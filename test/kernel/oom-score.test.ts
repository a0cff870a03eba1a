import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { setOomScore } from "../../src/kernel/oom-score.ts";
import { refusalOf } from "../support/refusal.ts";

function score(t: Test, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "score"), text);
  return join(folder, "score");
}

t.test("the score is written where it is another one", async (t) => {
  const file = score(t, "0\n");
  await setOomScore(-999, file);
  t.equal(readFileSync(file, "utf8"), "-999");
});

t.test("the score that is there already takes no rights", async (t) => {
  const file = score(t, "-999\n");
  const before = statSync(file, { bigint: true }).ctimeNs;
  await setOomScore(-999, file);
  t.equal(statSync(file, { bigint: true }).ctimeNs, before);
});

t.test("what fails is tried once more", async (t) => {
  const file = score(t, "0\n");
  rmSync(file);
  const setting = setOomScore(7, file);
  setTimeout(() => writeFileSync(file, "0\n"), 20);
  await setting;
  t.equal(readFileSync(file, "utf8"), "7");
});

t.test("what fails twice is a refusal", async (t) => {
  t.match(await refusalOf(setOomScore(7, "/nowhere/score")), { step: "oom score", target: "7", code: "ENOENT" });
});
