import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { PassThrough, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import t from "tap";
import { LineOutput, openLog } from "../../src/sync/log-output.ts";

const SPEAKER = fileURLToPath(new URL("../support/speaker.ts", import.meta.url));
const QUIET = { verbosity: 0, vmodule: [], flushFrequency: 5000, splitStream: false };

/** Says so many lines in a process whose standard error is what is given. */
async function speak(lines: number, stderr: "pipe" | number, meet: (stream: Writable | NodeJS.ReadableStream) => void) {
  const child = spawn(process.execPath, ["--import=tsx", SPEAKER, String(lines)], {
    stdio: ["ignore", "pipe", stderr],
  });
  let said = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  if (child.stderr) meet(child.stderr);
  const [code] = await once(child, "close");
  return { code, said };
}

t.test("a process whose reader takes all has said all", async (t) => {
  let text = "";
  const { code } = await speak(3000, "pipe", (stream) => stream.on("data", (piece) => (text += piece)));
  t.equal(code, 0);
  const lines = text.trimEnd().split("\n");
  t.match(lines.at(-1), 'line=2999 filler="xxx');
});

t.test("a process whose reader reads nothing goes on, and ends", async (t) => {
  const { code, said } = await speak(3000, "pipe", (stream) => stream.on("end", () => {}));
  t.strictSame({ code, said }, { code: 0, said: "all said\n" });
});

t.test("a process whose reader went away goes on, and ends", async (t) => {
  const { code, said } = await speak(300, "pipe", (stream) => "destroy" in stream && stream.destroy());
  t.strictSame({ code, said }, { code: 0, said: "all said\n" });
});

t.test("a process whose log goes to a full disk goes on, and ends", async (t) => {
  const { code, said } = await speak(300, openSync("/dev/full", "w"), () => {});
  t.strictSame({ code, said }, { code: 0, said: "all said\n" });
});

/** A stream that takes nothing until it is told to. */
class Stalled extends Writable {
  #go: (() => void) | undefined;
  text = "";

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.text += chunk;
    this.#go = done;
  }

  async takeAll(): Promise<void> {
    for (let go = this.#go; go; go = this.#go) {
      this.#go = undefined;
      go();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

t.test("what a slow reader leaves is bounded; lines beyond are counted, and told when there is room", async (t) => {
  const stream = new Stalled();
  const output = new LineOutput(stream);
  const line = `${"x".repeat(1023)}\n`;
  for (let count = 0; count < 2000; count++) output.write(line);
  t.equal(stream.writableLength, 1 << 20);
  t.equal(output.takeLost(), 0, "while the number itself could not arrive");
  await stream.takeAll();
  t.equal(output.takeLost(), 976);
  t.equal(output.takeLost(), 0, "they are told once");
  output.write("again\n");
  await stream.takeAll();
  t.ok(stream.text.endsWith("again\n"));
});

t.test("a flush waits for the reader, but not for ever", async (t) => {
  const stream = new Stalled();
  const output = new LineOutput(stream);
  output.write("a\n");
  await output.flush(10);
  t.equal(stream.text, "a\n", "nobody took it, and yet it is over");
  const flushed = output.flush(60_000);
  await stream.takeAll();
  await flushed;
  stream.destroy(new Error("gone"));
  await new Promise((resolve) => stream.once("close", resolve));
  await output.flush(60_000);
  output.write("b\n");
  t.equal(stream.text, "a\n");
});

const SPLITS = [
  { format: "text", splitStream: false, stdout: [], stderr: ["info", "warn", "error"] },
  { format: "text", splitStream: true, stdout: ["info"], stderr: ["warn", "error"] },
  { format: "json", splitStream: true, stdout: ["info", "warn"], stderr: ["error"] },
] as const;
for (const { format, splitStream, ...expected } of SPLITS) {
  t.test(`${format}, ${splitStream ? "split" : "one stream"}`, async (t) => {
    const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
    const { logs, flush } = openLog({ ...QUIET, format, splitStream }, streams);
    const log = logs("a.ts");
    log.info({}, "info");
    log.warn({}, "warn");
    log.error({}, "error");
    await flush();
    const words = (text: string) => text.match(/"(info|warn|error)"/g)?.map((word) => word.slice(1, -1)) ?? [];
    t.strictSame(words(String(streams.stderr.read() ?? "")), expected.stderr);
    t.strictSame(words(String(streams.stdout.read() ?? "")), expected.stdout);
  });
}

t.test("lines lost on either stream are told, and the verbosity can be changed", async (t) => {
  const stderr = new Stalled();
  const { logs, verbosity } = openLog({ ...QUIET, format: "text" }, { stdout: new PassThrough(), stderr });
  const log = logs("a.ts");
  verbosity.set(2);
  for (let count = 0; count < 12; count++) log.debug(2, { filler: "x".repeat(100_000) }, "big");
  await stderr.takeAll();
  log.info({}, "room");
  await stderr.takeAll();
  t.match(stderr.text, /W.*"Log lines were lost on the way" count=2\nI.*"room"\n$/);
});
