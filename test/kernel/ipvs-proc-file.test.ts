import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { readIpvsProc } from "../../src/kernel/ipvs-proc-file.ts";
import { refusalOf } from "../support/refusal.ts";

t.test("the text is read whole", async (t) => {
  const path = join(t.testdir(), "ip_vs");
  writeFileSync(path, "IP Virtual Server\n");
  t.equal(await textOf(readIpvsProc(path)), "IP Virtual Server\n");
});

t.test("a long text comes in pieces", async (t) => {
  const path = join(t.testdir(), "ip_vs");
  const text = "TCP  0A600001:01BB rr  \n".repeat(10_000);
  writeFileSync(path, text);
  const pieces: string[] = [];
  for await (const piece of readIpvsProc(path)) pieces.push(piece);
  t.ok(pieces.length > 1 && pieces.every(({ length }) => length <= 65_536), `${pieces.length} pieces`);
  t.equal(pieces.join(""), text);
});

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += piece;
  return text;
}

t.test("where there is none, that is said", async (t) => {
  const path = join(t.testdir(), "nothing");
  t.match(await refusalOf(textOf(readIpvsProc(path))), { step: "ipvs", target: path, code: "ENOENT" });
  // Where the module is loaded it is there, elsewhere it is not.
  const text = await textOf(readIpvsProc()).catch((error) => error.refusal.code);
  t.match(text, /^(ENOENT$|IP Virtual Server)/);
});
