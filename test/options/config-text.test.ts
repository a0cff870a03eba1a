// Tests reading configuration files as YAML 1.1 or JSON.
import t from "tap";
import { readConfigText } from "../../src/options/config-file.ts";

const values: readonly [string, string, unknown][] = [
  ["YAML", "a: 1\nb: [x, z]\n", { a: 1, b: ["x", "z"] }],
  ["JSON with tabs", '{"a":\t1,\n\t"b": [1,\n\t2]}', { a: 1, b: [1, 2] }],
  ["YAML 1.1 words for true and false", "a: yes\nb: off\n", { a: true, b: false }],
  ["octal numbers", "a: 010\n", { a: 8 }],
  ["no numbers to the base of sixty", "a: 12:30\n", { a: "12:30" }],
  ["numbers", "a: [1.5, -.5, 2e3, .inf, 1_000]\n", { a: [1.5, -0.5, 2000, Number.POSITIVE_INFINITY, 1000] }],
  ["no numbers without a digit in front", "a: [e9, ., -.]\n", { a: ["e9", ".", "-."] }],
  ["no timestamps", "a: 2001-01-01\n", { a: "2001-01-01" }],
  ["IPv6 addresses without quotes", "a: ::0\nb: ::1\nc: 2001:db8::1\n", { a: "::0", b: "::1", c: "2001:db8::1" }],
  ["anchors and merges", "a: &x {b: 1}\nc:\n  <<: *x\n", { a: { b: 1 }, c: { b: 1 } }],
  ["a list", "- a\n", ["a"]],
  ["nothing but null", "null\n", null],
];

for (const [name, text, value] of values) {
  t.test(`configuration text: ${name}`, async (t) => {
    t.strictSame(readConfigText(text), { value, duplicates: [] });
  });
}

t.test("the last of duplicate keys is used", async (t) => {
  t.strictSame(readConfigText('a: 1\nb:\n  c: 1\n  "c": 2\na: 2\n? [x]\n: 1\n? [x]\n: 2\n'), {
    value: { a: 2, b: { c: 2 }, "[ x ]": 2 },
    duplicates: [
      { key: "c", line: 4 },
      { key: "a", line: 5 },
    ],
  });
});

const refused: readonly [string, string, string][] = [
  ["nothing", "", "is empty"],
  ["two documents", "a: 1\n---\nb: 1\n", "contains more than one document"],
  ["one line of prose", "just some prose", "yaml: could not find expected ':'"],
  ["prose of two lines", "just some prose\nthat goes on\n", "yaml: could not find expected ':'"],
  ["prose round a key", "prose first\nkey: value\nprose again\n", "yaml: line 1: could not find expected ':'"],
  ["prose behind a key", "key: value\nprose again\n", "yaml: line 2: could not find expected ':'"],
  ["an unquoted ::", "kind: X\nbindAddress: ::\n", "yaml: line 2: Nested mappings are not allowed in compact mappings"],
  ["a merge of a number", "a: {<<: 3}\n", "yaml: Merge sources must be maps or map aliases"],
  ["an alias of nothing", "a: *x\n", "yaml: Unresolved alias (the anchor must be set before the alias): x"],
];

for (const [name, text, message] of refused) {
  t.test(`configuration text refused: ${name}`, async (t) => {
    t.throws(() => readConfigText(text), { name: "InputError", message });
  });
}
