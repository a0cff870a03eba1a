import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { readIpvsProc } from "../../src/kernel/ipvs-proc-file.ts";
import { refusalOf } from "../support/refusal.ts";

t.test("the text is read whole", async (t) => {
  const path = join(t.testdir(), "ip_vs");
  writeFileSync(path, "IP Virtual Server\n");
  t.equal(await readIpvsProc(path), "IP Virtual Server\n");
});

t.test("where there is none, that is said", async (t) => {
  const path = join(t.testdir(), "nothing");
  t.match(await refusalOf(readIpvsProc(path)), { step: "ipvs", target: path, code: "ENOENT" });
  // Where the module is loaded it is there, elsewhere it is not.
  const text = await readIpvsProc().catch((error) => error.refusal.code);
  t.match(text, /^(ENOENT$|IP Virtual Server)/);
});
