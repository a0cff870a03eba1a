import fc from "fast-check";
import t from "tap";
import { parse } from "yaml";
import { type Data, printData } from "../../src/commands/data-text.ts";
import { takeSeed } from "../support/seed.ts";

const data = fc.letrec<{ data: Data }>((tie) => ({
  data: fc.oneof(
    { depthSize: "small" },
    fc.string({ unit: "grapheme" }),
    fc.constantFrom("yes", "null", "12", '-A X --comment "it\'s"', "", " a", "a: b", "a #b", "- a", "\n", "[]", "{}"),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("data")),
    fc.dictionary(fc.oneof(fc.stringMatching(/^[a-z]{2,5}$/), fc.constantFrom("null", "yes", "12", "")), tie("data")),
  ),
})).data;

for (const format of ["json", "yaml"] as const) {
  t.test(`${format}: what is written is read back the same`, async (t) => {
    fc.assert(
      fc.property(data, (value) => {
        const text = [...printData(value, format)].join("\n");
        t.same(format === "json" ? JSON.parse(text) : parse(text), value);
        if (format === "json") t.equal(text, JSON.stringify(value, null, 2));
      }),
      { seed: takeSeed() },
    );
  });
}

t.test("fields that are not known are left out, lists are written as they are worked out", async (t) => {
  let worked = 0;
  function* items() {
    for (const each of ["a", "b"]) {
      worked++;
      yield each;
    }
  }
  const lines = printData({ list: items(), nothing: undefined, none: [], deep: [[], {}, [1]] }, "yaml")[
    Symbol.iterator
  ]();
  t.equal(lines.next().value, "list:");
  t.equal(worked, 1);
  t.strictSame(
    [...{ [Symbol.iterator]: () => lines }],
    ["  - a", "  - b", "none: []", "deep:", "  - []", "  - {}", "  - - 1"],
  );
});
