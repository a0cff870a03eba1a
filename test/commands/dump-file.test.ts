import { Readable } from "node:stream";
import t from "tap";
import { readDump, readDumpText } from "../../src/commands/dump-file.ts";

t.test("a dump comes from standard input too", async (t) => {
  const text = await readDumpText("-", Readable.from(["*nat\n", "COMMIT\n"]));
  t.strictSame([...readDump("-", text, "IPv6").states.keys()], ["IPv6"]);
});

t.test("faults name file and line", async (t) => {
  t.throws(() => readDump("node.dump", "x"), { name: "InputError", message: /^node\.dump: line 1: not a line of / });
  t.throws(() => readDump("node.dump", JSON.parse("null")), TypeError, "but faults of ours are no faults of a file");
  await t.rejects(readDumpText("/nowhere"), { message: "/nowhere: cannot be read: no such file or directory" });
});
