import { PassThrough } from "node:stream";
import t from "tap";
import { NO_PROGRESS, openProgress } from "../../src/commands/progress.ts";

const TERM = { TERM: "xterm" };

/** A terminal, and what was written to it. */
function terminal(columns?: unknown) {
  const stream = Object.assign(new PassThrough(), { isTTY: true, ...(columns === undefined ? {} : { columns }) });
  const written: string[] = [];
  stream.on("data", (chunk) => written.push(String(chunk)));
  return { stream, written };
}

t.test("one line is written over and over, ten times a second, once work takes a second", async (t) => {
  const { stream, written } = terminal();
  let now = 5000;
  const progress = openProgress(stream, { now: () => now, environment: TERM });
  let asked = 0;
  const work = (until: number) => {
    for (; now < until; now += 10) progress.show(() => `step ${++asked}`);
  };
  work(6000);
  progress.clear();
  t.strictSame([written, asked], [[], 0], "what is done in a second needs no line, and nobody is asked for one");
  work(6250);
  t.strictSame(written, ["\rstep 1\u001b[K", "\rstep 2\u001b[K", "\rstep 3\u001b[K"]);
  progress.clear();
  progress.clear();
  t.strictSame(written.slice(3), ["\r\u001b[K"], "it is taken away once");
  work(6350);
  t.strictSame(written.slice(4), ["\rstep 4\u001b[K"], "and comes again");
});

const WIDTHS: readonly [name: string, columns: unknown, length: number][] = [
  ["a narrow terminal", 20, 19],
  ["a terminal that does not know", 0, 79],
  ["a terminal that says nothing", undefined, 79],
];

for (const [name, columns, length] of WIDTHS) {
  t.test(`${name}: the line is cut, so that it is one`, async (t) => {
    const { stream, written } = terminal(columns);
    let now = 0;
    const progress = openProgress(stream, { now: () => now, environment: TERM });
    now = 2000;
    progress.show(() => "x".repeat(200));
    t.strictSame(written, [`\r${"x".repeat(length)}\u001b[K`]);
  });
}

t.test("the name of a file cannot write on the terminal", async (t) => {
  const { stream, written } = terminal();
  let now = 0;
  const progress = openProgress(stream, { now: () => now, environment: TERM });
  now = 2000;
  progress.show(() => "reading a\u001b[2J\nb.yaml");
  t.strictSame(written, ["\rreading a\\u001b[2J\\u000ab.yaml\u001b[K"]);
});

t.test("a pipe, a file and a terminal that cannot go back have none", async (t) => {
  const dumb = terminal();
  for (const stream of [new PassThrough(), Object.assign(new PassThrough(), { isTTY: false })]) {
    t.equal(openProgress(stream, { environment: TERM }), NO_PROGRESS);
  }
  t.equal(openProgress(dumb.stream, { environment: { TERM: "dumb" } }), NO_PROGRESS);
  let asked = 0;
  NO_PROGRESS.show(() => String(++asked));
  t.equal(asked, 0, "nobody looks");
  NO_PROGRESS.clear();
});

t.test("what is not said is taken from the process", async (t) => {
  const { stream, written } = terminal();
  openProgress(stream).show(() => "too early");
  t.strictSame(written, []);
});
