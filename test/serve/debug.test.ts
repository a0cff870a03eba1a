// May one look into the process, and make it say more?
import t from "tap";
import { byPath, NOT_FOUND } from "../../src/serve/answer.ts";
import { debugPages } from "../../src/serve/debug.ts";
import { Profiler } from "../../src/serve/profiler.ts";
import { question } from "../support/question.ts";

// A profile alone does not keep a process alive; in the daemon its server does.
const alive = setInterval(() => {}, 1_000);
t.teardown(() => clearInterval(alive));

function setUp() {
  const levels: number[] = [];
  const pages = byPath(debugPages({ profiler: new Profiler(), setVerbosity: (level) => levels.push(level) }));
  const put = (text: string) => {
    const body = async (limit: number) => (text.length > limit ? undefined : text);
    return pages(question({ method: "PUT", path: "/debug/flags/v", body }));
  };
  const take = (kind: string, query: string) =>
    pages(question({ path: `/debug/pprof/${kind}`, query: new URLSearchParams(query) }));
  return { levels, pages, put, take };
}

for (const [text, level] of [
  ["0", 0],
  ["4", 4],
  ["2147483647", 2_147_483_647],
] as const) {
  t.test(`verbosity ${text}`, async (t) => {
    const { levels, put } = setUp();
    t.match(await put(text), { status: 200, body: `successfully set klog.logging.verbosity to ${text}\n` });
    t.strictSame(levels, [level]);
  });
}

for (const [text, status] of [
  ["", 400],
  ["-1", 400],
  ["four", 400],
  ["4\n", 400],
  ["2147483648", 400],
  ["1".repeat(17), 413],
] as const) {
  t.test(`verbosity ${JSON.stringify(text)} is refused`, async (t) => {
    const { levels, put } = setUp();
    t.match(await put(text), { status, body: "a verbosity is a number from 0 to 2147483647\n" });
    t.strictSame(levels, []);
  });
}

t.test("verbosity is only put", async (t) => {
  const { levels, pages } = setUp();
  t.match(await pages(question({ path: "/debug/flags/v" })), { status: 406, body: "unsupported http method\n" });
  t.strictSame(levels, []);
});

t.test("what there is", async (t) => {
  const { pages } = setUp();
  t.equal((await pages(question({ path: "/debug/flags" }))).body, "v: PUT /debug/flags/v\n");
  const index = "/debug/pprof/profile?seconds=30\n/debug/pprof/heap?seconds=30\n";
  for (const path of ["/debug/pprof", "/debug/pprof/"]) t.equal((await pages(question({ path }))).body, index);
  t.strictSame(await pages(question({ path: "/debug/pprof/goroutine" })), NOT_FOUND);
});

t.test("where time goes", async (t) => {
  const { take } = setUp();
  const { headers, body } = await take("profile", "seconds=0.2");
  t.match(headers, { "Content-Disposition": 'attachment; filename="fairlead.cpuprofile"' });
  t.match(JSON.parse(body), { nodes: Array, startTime: Number, samples: Array });
});

t.test("what is held", async (t) => {
  const { take } = setUp();
  const { headers, body } = await take("heap", "seconds=0.2");
  t.match(headers, { "Content-Disposition": 'attachment; filename="fairlead.heapprofile"' });
  t.match(JSON.parse(body), { head: { callFrame: Object } });
});

t.test("one profile at a time, and another afterwards", async (t) => {
  const { take } = setUp();
  const first = take("profile", "seconds=0.2");
  t.match(await take("heap", "seconds=0.2"), { status: 503, body: "another profile is being taken\n" });
  t.equal((await first).status, 200);
  t.equal((await take("heap", "seconds=0.1")).status, 200);
});

for (const seconds of ["0", "-1", "301", "x", "NaN"]) {
  t.test(`a profile of ${seconds} seconds is refused`, async (t) => {
    t.match(await setUp().take("profile", `seconds=${seconds}`), { status: 400, body: /^seconds must be/ });
  });
}
