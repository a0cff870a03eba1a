// Do lines have the shape that pipelines for kube-proxy's log expect?
import t from "tap";
import { klogText, type LogRecord } from "../../src/sync/klog-text.ts";

const RECORD: LogRecord = {
  severity: "info",
  level: 0,
  time: new Date(2026, 10, 21, 8, 56, 43, 409).getTime() + 0.049,
  pid: 12,
  caller: "pass.ts:14",
  message: "test",
  fields: {},
};
const HEADER = "I1121 08:56:43.409049      12 pass.ts:14] ";

t.test("header, message and fields", async (t) => {
  const fields = { ipFamily: "IPv4", steps: 2, ok: true };
  t.equal(klogText({ ...RECORD, fields }), `${HEADER}"test" ipFamily="IPv4" steps=2 ok=true`);
});

t.test("the process id is padded to seven places and may be longer", async (t) => {
  t.match(klogText({ ...RECORD, pid: 1 }), ".409049       1 pass.ts");
  t.match(klogText({ ...RECORD, pid: 12345678 }), ".409049 12345678 pass.ts");
});

t.test("months, days and fractions of a second are padded with zeros", async (t) => {
  const time = new Date(2026, 0, 2, 3, 4, 5, 6).getTime();
  t.match(klogText({ ...RECORD, time }), /^I0102 03:04:05\.006000 /);
});

t.test("the first letter is the severity", async (t) => {
  const letters = (["info", "warn", "error"] as const).map((severity) => klogText({ ...RECORD, severity })[0]);
  t.same(letters, ["I", "W", "E"]);
});

/** Each as klog's own tests have it. */
const VALUES: readonly (readonly [name: string, value: unknown, printed: string])[] = [
  ["a text", "avalue", ' key="avalue"'],
  ["quotes", '"quoted value"', ' key="\\"quoted value\\""'],
  ["HTML characters", "<&>", ' key="<&>"'],
  ["a number", 1.5, " key=1.5"],
  ["a whole number of any size", 2n ** 64n, " key=18446744073709551616"],
  ["a bool", false, " key=false"],
  ["nothing", null, " key=null"],
  ["no value", undefined, ""],
  ["an error", new Error("whoops"), ' key="whoops"'],
  ["a list", ["hello", "world"], ' key=["hello","world"]'],
  ["a map", { hello: "world" }, ' key={"hello":"world"}'],
  ["what JSON cannot hold", { size: 1n }, ' key="<internal error: not fit for JSON>"'],
  ["more than one line", "line 1\nline 2", " key=<\n\tline 1\n\tline 2\n >"],
  ["more than one line, the last one ended", "line 1\nline 2\n", " key=<\n\tline 1\n\tline 2\n >"],
  ["an empty line at the end", "line 1\n\n", " key=<\n\tline 1\n\t\n >"],
  ["a line that looks like the end", "a\n >\n b", " key=<\n\ta\n\t >\n\t b\n >"],
  ["an error of several lines", new Error("a\nb"), " key=<\n\ta\n\tb\n >"],
];
for (const [name, value, printed] of VALUES) {
  t.test(`value: ${name}`, async (t) => {
    t.equal(klogText({ ...RECORD, fields: { key: value } }), `${HEADER}"test"${printed}`);
  });
}

t.test("a message is always quoted, with line breaks too", async (t) => {
  t.equal(klogText({ ...RECORD, message: 'say "so"\n' }), `${HEADER}"say \\"so\\"\\n"`);
});

t.test("a text without fields is not quoted", async (t) => {
  const { fields: _, ...plain } = RECORD;
  t.equal(klogText({ ...plain, message: 'FLAG: --v="2"' }), `${HEADER}FLAG: --v="2"`);
});
