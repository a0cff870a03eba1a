// Are the members of a JSON value where its text has them?
import fc from "fast-check";
import t from "tap";
import { jsonMembers } from "../../src/source/json-members.ts";
import { takeSeed } from "../support/seed.ts";

t.test("of any value, written in any way", (t) => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(undefined, 1, "\t"), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent);
      const found = [...jsonMembers(text, 0)];
      // What stands there is told by its first character: the rest is the same scan again.
      const expected = typeof value === "object" && value !== null ? Object.entries(value) : [];
      t.strictSame(
        found.map(({ name, start }) => [String(name), text[start]]),
        expected.map(([name, each]) => [name, JSON.stringify(each)[0]]),
      );
    }),
    { seed: takeSeed() },
  );
  t.end();
});
