import { PassThrough } from "node:stream";
import t from "tap";
import { standardOutput } from "../../src/commands/output.ts";

async function textOf(stream: PassThrough): Promise<string> {
  stream.end();
  const pieces: string[] = [];
  for await (const piece of stream) pieces.push(String(piece));
  return pieces.join("");
}

t.test("data and notes go their own ways, line by line", async (t) => {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const output = standardOutput(out, err);
  await output.data(["a", "b"]);
  output.note("by the way");
  t.equal(await textOf(out), "a\nb\n");
  t.equal(await textOf(err), "by the way\n");
});

t.test("much data waits for a slow reader, and all of it arrives", async (t) => {
  const out = new PassThrough({ highWaterMark: 1000 });
  const output = standardOutput(out, new PassThrough());
  const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}`);
  const writing = output.data(lines);
  const reading = (async () => {
    let length = 0;
    for await (const piece of out) length += String(piece).length;
    return length;
  })();
  await writing;
  t.ok(out.listenerCount("close") < 5, "no wait leaves anything behind");
  out.end();
  t.equal(await reading, lines.join("\n").length + 1);
});

t.test("a reader that goes away ends the data quietly", async (t) => {
  const out = new PassThrough({ highWaterMark: 10 });
  const output = standardOutput(out, new PassThrough());
  let asked = 0;
  const lines = (function* () {
    for (; asked < 1_000_000; asked++) yield "x".repeat(100);
  })();
  const writing = output.data(lines);
  out.destroy(new Error("EPIPE"));
  await writing;
  t.ok(asked < 1_000_000, `stopped after ${asked} lines`);
});
