// Tests canonical quantities.
import t from "tap";
import { canonicalQuantity } from "../../src/options/quantity.ts";

const cases: readonly [string, string][] = [
  ["0", "0"],
  ["0Gi", "0"],
  ["-0", "0"],
  ["1", "1"],
  ["512", "512"],
  ["1000", "1k"],
  ["1024", "1024"],
  ["1024Ki", "1Mi"],
  ["1536Ki", "1536Ki"],
  ["0.5Gi", "512Mi"],
  ["0.5Ki", "512"],
  ["1.5k", "1500"],
  ["0.1", "1"],
  ["2M", "2M"],
  ["1000E", "1000E"],
  ["-1Ki", "-1Ki"],
];

for (const [text, canonical] of cases) {
  t.test(`${text} is printed as ${canonical}`, async (t) => {
    t.equal(canonicalQuantity(text), canonical);
    t.equal(canonicalQuantity(canonical), canonical);
  });
}

for (const text of ["", "x", "1KiB", "1Xi", "k", "1 k", "."]) {
  t.test(`${JSON.stringify(text)} is no quantity`, async (t) => {
    t.throws(() => canonicalQuantity(text), { name: "InputError", message: /^quantities must match the regular/ });
  });
}
