import t from "tap";
import { createLog, type Log } from "../../src/sync/log.ts";
import { MOST } from "../../src/sync/repeats.ts";
import { Verbosity } from "../../src/sync/verbosity.ts";

/** The line in this file that calls. */
function here(): number {
  return Number(/log\.test\.ts:(\d+):\d+\)?$/.exec(new Error().stack?.split("\n")[2] ?? "")?.[1]);
}

interface Written {
  readonly line: string;
  readonly severity: string;
}

function setUp(format: "text" | "json", verbosity = new Verbosity()) {
  const written: Written[] = [];
  const due: (() => void)[] = [];
  const lost = { count: 0 };
  const logs = createLog(format, (line, severity) => written.push({ line, severity }), {
    verbosity,
    later: (_, callback) => due.push(callback),
    takeLost: () => {
      const { count } = lost;
      lost.count = 0;
      return count;
    },
  });
  /** What was written meanwhile. */
  const said = (speak: (log: Log) => void): readonly string[] => {
    written.length = 0;
    speak(logs("run.ts"));
    return written.map(({ line }) => line);
  };
  return { said, written, due, lost };
}

t.test("text: one line a record, with the place in the source that speaks", async (t) => {
  const { said, written } = setUp("text");
  const before = Date.now();
  const [line = ""] = said((log) => log.warn({ service: "a/b", line: here() }, "hello"));
  const [, day, time, pid, rest] = /^W(\d{4}) (\d\d:\d\d:\d\d\.\d{6}) ( *\d+) (.*)\n$/.exec(line) ?? [];
  const [, number] = /line=(\d+)/.exec(line) ?? [];
  t.equal(rest, `run.ts:${number}] "hello" service="a/b" line=${number}`);
  t.equal(pid, String(process.pid).padStart(7));
  const date = new Date(before);
  t.equal(day, `${String(date.getMonth() + 1).padStart(2, "0")}${String(date.getDate()).padStart(2, "0")}`);
  t.ok(time);
  t.strictSame(
    written.map(({ severity }) => severity),
    ["warn"],
  );
});

t.test("text: a record from no line of a file bears the name of its log", async (t) => {
  const { said } = setUp("text");
  const [line] = said((log) => new Map([["hello", { code: "1" }]]).forEach(log.info));
  t.match(line, / run\.ts:1\] "hello" code="1"\n$/);
});

t.test("JSON: one object a record, named as kube-proxy names them", async (t) => {
  const { said, written } = setUp("json", new Verbosity(4));
  const [first = "", second = ""] = said((log) => {
    log.error({ code: "1", err: new Error("not so"), line: here() }, "no");
    log.debug(4, { service: "a/b", err: "text", line: here() }, "yes");
  });
  const { ts, line, caller, ...error } = JSON.parse(first);
  t.strictSame(error, { level: 50, pid: process.pid, code: "1", err: "not so", msg: "no" });
  t.equal(caller, `run.ts:${line}`);
  t.ok(Math.abs(ts - Date.now()) < 10_000, "ts is milliseconds");
  const info = JSON.parse(second);
  t.match(info, { level: 30, v: 4, service: "a/b", err: "text", msg: "yes", caller: `run.ts:${info.line}` });
  t.strictSame(
    written.map(({ severity }) => severity),
    ["error", "info"],
  );
});

t.test("a percent sign in a message is nothing special", async (t) => {
  for (const format of ["text", "json"] as const) {
    t.match(setUp(format).said((log) => log.info({}, "100 %s %d %%"))[0], "100 %s %d %%");
  }
});

t.test("what is said depends on the verbosity, errors excepted", async (t) => {
  const verbosity = new Verbosity(2, [{ filePattern: "r*", verbosity: 4 }]);
  const { said } = setUp("text", verbosity);
  const speak = (log: Log) => {
    log.error({}, "error");
    for (const level of [2, 4, 5]) log.debug(level, {}, `debug ${level}`);
    for (const level of [4, 5]) log.print(level, `print ${level}`);
    t.equal(log.says(5), verbosity.level >= 5);
  };
  const shown = () => said(speak).map((line) => line.replace(/^.*\] /, "").trim());
  t.strictSame(shown(), ['"error"', '"debug 2"', '"debug 4"', "print 4"]);
  verbosity.set(5);
  t.equal(shown().length, 6);
});

t.test("debug and print tell the line that speaks too", async (t) => {
  const { said } = setUp("text", new Verbosity(1));
  const lines = said((log) => {
    log.debug(1, {}, String(here()));
    log.print(1, String(here()));
  });
  t.equal(lines.length, 2);
  for (const line of lines) t.match(line, /run\.ts:(\d+)\] "?\1"?\n$/);
});

t.test("a message said thousands of times is cut short, then summed up", async (t) => {
  const { said, due } = setUp("text", new Verbosity(4));
  const lines = said((log) => {
    for (let time = 0; time < 5000; time++) log.error({ err: `object ${time}` }, "Input left out");
    log.error({}, "Something else");
  });
  t.equal(lines.length, MOST + 1);
  t.match(lines.at(-1), "Something else");
  const [summary] = said(() => due[0]?.());
  t.match(summary, /^E.* run\.ts:\d+\] "More of the same left out" of="Input left out" count=4900\n$/);
  const asked = said((log) => {
    for (let time = 0; time < 5000; time++) log.debug(4, {}, "event");
  });
  t.equal(asked.length, 5000, "who asks for all gets all");
});

t.test("lines that never arrived are told as soon as one can", async (t) => {
  const { said, lost } = setUp("text");
  lost.count = 7;
  const lines = said((log) => {
    log.info({}, "a");
    log.info({}, "b");
  });
  t.match(lines, [/^W.*"Log lines were lost on the way" count=7\n$/, /^I.*"a"\n$/, /^I.*"b"\n$/]);
});

t.test("without settings a summary that is due keeps no process alive", async (t) => {
  const lines: string[] = [];
  const before = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  createLog("text", (line) => lines.push(line))("run.ts").info({}, "a");
  t.equal(lines.length, 1);
  t.equal(process.getActiveResourcesInfo().filter((name) => name === "Timeout").length, before);
});
