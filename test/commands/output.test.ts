import { closeSync, createWriteStream, openSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
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
  out.destroy(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
  await writing;
  t.ok(asked < 1_000_000, `stopped after ${asked} lines`);
});

t.test("data that cannot be written for lack of space is an error in plain words", async (t) => {
  const out = new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error("ENOSPC"), { code: "ENOSPC" })),
  });
  const output = standardOutput(out, new PassThrough());
  await t.rejects(output.data(["a"]), { message: "cannot write to standard output: no space left on device" });
});

t.test("notes that nobody can read any more are lost without an error", async (t) => {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const output = standardOutput(out, err);
  err.destroy(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
  output.note("by the way");
  await output.data(["a"]);
  t.equal(await textOf(out), "a\n");
});

/** A terminal, and a clock that goes on when it is told to. */
function slowTerminal() {
  let now = 0;
  return {
    err: Object.assign(new PassThrough(), { isTTY: true, columns: 80 }),
    means: { now: () => now, environment: {} },
    wait: () => {
      now += 2000;
    },
  };
}

t.test("progress is gone before data and notes", async (t) => {
  const [out, { err, means, wait }] = [new PassThrough(), slowTerminal()];
  const output = standardOutput(out, err, means);
  wait();
  output.progress.show(() => "working");
  output.note("by the way");
  wait();
  output.progress.show(() => "working on");
  await output.data(["a"]);
  t.equal(await textOf(err), "\rworking\u001b[K\r\u001b[Kby the way\n\rworking on\u001b[K\r\u001b[K");
  t.equal(await textOf(out), "a\n");
});

t.test("data that go to a file have a line of their own", async (t) => {
  const path = join(t.testdir({ out: "" }), "out");
  const file = openSync(path, "w");
  t.teardown(() => closeSync(file));
  const { err, means, wait } = slowTerminal();
  const output = standardOutput(createWriteStream("", { fd: file, autoClose: false }), err, means);
  const lines = (function* () {
    for (const line of ["a", "b", "c"]) {
      wait();
      yield line;
    }
  })();
  await output.data(lines);
  const told = ["1", "2", "3"].map((count) => `\rwrote ${count} lines\u001b[K`);
  t.equal(await textOf(err), `${told.join("")}\r\u001b[K`);
});
