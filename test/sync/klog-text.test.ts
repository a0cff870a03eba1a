import t from "tap";
import { klogText } from "../../src/sync/klog-text.ts";
import { createLog } from "../../src/sync/log.ts";

const TIME = new Date(2026, 10, 21, 8, 56, 43, 409).getTime();

t.test("records have the shape that pipelines for kube-proxy's log expect", async (t) => {
  const record = {
    level: 30,
    time: TIME,
    pid: 12,
    at: "pass.ts",
    msg: 'say "so"',
    ipFamily: "IPv4",
    steps: 2,
    ok: true,
  };
  t.equal(klogText(record), 'I1121 08:56:43.409000      12 pass.ts] "say \\"so\\"" ipFamily="IPv4" steps=2 ok=true');
});

t.test("the first letter is the level", async (t) => {
  const letters = [30, 40, 50, 60].map((level) => klogText({ level, time: TIME, pid: 1, at: "a", msg: "b" })[0]);
  t.same(letters, ["I", "W", "E", "F"]);
});

t.test("a log writes text or JSON, one line a record", async (t) => {
  const lines: string[] = [];
  createLog("text", (line) => lines.push(line))("run.ts").warn({ service: "a/b" }, "hello");
  t.match(lines[0], /^W\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ run\.ts\] "hello" service="a\/b"\n$/);
  createLog("json", (line) => lines.push(line))("run.ts").error({ code: "1" }, "no");
  t.match(JSON.parse(lines[1] ?? ""), { level: 50, at: "run.ts", code: "1", msg: "no", pid: process.pid });
});
