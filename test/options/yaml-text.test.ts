// Tests printing YAML like kube-proxy.
import fc from "fast-check";
import t from "tap";
import { readConfigText } from "../../src/options/config-file.ts";
import { printYaml } from "../../src/options/yaml-text.ts";

/** A text, and how Go writes it. */
const texts: readonly [string, string][] = [
  ["", '""'],
  ["worker-a", "worker-a"],
  ["0.0.0.0", "0.0.0.0"],
  ["0.0.0.0:10256", "0.0.0.0:10256"],
  ["10.0.0.0/8,fd00::/8", "10.0.0.0/8,fd00::/8"],
  ["::", "'::'"],
  ["::1", "::1"],
  ["::/0", "::/0"],
  ["fd00::/64", "fd00::/64"],
  ["fd00::", "'fd00::'"],
  ["[::]:10256", "'[::]:10256'"],
  ["15m0s", "15m0s"],
  ["0", '"0"'],
  ["1.35", '"1.35"'],
  ["-1e3", '"-1e3"'],
  ["0x1F", '"0x1F"'],
  ["1_000", '"1_000"'],
  [".inf", '".inf"'],
  ["12:30", '"12:30"'],
  ["2001-01-01", '"2001-01-01"'],
  ["true", '"true"'],
  ["y", '"y"'],
  ["off", '"off"'],
  ["null", '"null"'],
  ["~", '"~"'],
  ["<<", '"<<"'],
  ["a: b", "'a: b'"],
  ["a #b", "'a #b'"],
  ["a#b", "a#b"],
  ["#a", "'#a'"],
  ["*a", "'*a'"],
  ["- a", "'- a'"],
  ["-a", "-a"],
  ["?", "'?'"],
  [" a", "' a'"],
  ["it's", "it's"],
  ["'a", "'''a'"],
  ["---a", "'---a'"],
  ["a\tb", '"a\\tb"'],
];

for (const [text, printed] of texts) {
  t.test(`${JSON.stringify(text)} is written ${printed}`, async (t) => {
    t.equal(printYaml({ key: text }), `key: ${printed}\n`);
    t.strictSame(readConfigText(`key: ${printed}\n`).value, { key: text });
  });
}

t.test("mappings and lists stand in block style", async (t) => {
  const value = {
    b: { d: 1, c: 0.5 },
    a: [],
    e: {},
    f: ["x", "0"],
    g: [{ i: 1, h: "x" }, { h: [null, true] }],
    k: null,
    j: false,
  };
  const text = [
    "a: []",
    "b:",
    "  c: 0.5",
    "  d: 1",
    "e: {}",
    "f:",
    "- x",
    '- "0"',
    "g:",
    "- h: x",
    "  i: 1",
    "- h:",
    "  - null",
    "  - true",
    "j: false",
    "k: null",
    "",
  ].join("\n");
  t.equal(printYaml(value), text);
  t.strictSame(readConfigText(text).value, value);
});

t.test("any text is read back as it was", async (t) => {
  const seed = 27;
  t.comment(`seed ${seed}`);
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom(..."0123456789abcdefxyn.:-+_ /#'\"[]{},&*!|>%@`~<?=T\n\t") }),
  );
  fc.assert(
    fc.property(text, (text) => {
      t.same(readConfigText(printYaml({ key: text, list: [text] })).value, { key: text, list: [text] });
    }),
    { seed, numRuns: 2000 },
  );
});
