import t from "tap";
import { z } from "zod";
import { enter, readSection, TEXT } from "../../src/source/section.ts";

const SCHEMA = z.object({
  name: TEXT,
  list: z.array(z.object({ on: z.boolean() })),
  record: z.record(z.string(), TEXT),
});
const GOOD = { list: [{ on: true }], record: { a: "b" } };

t.test("a field left out or null is the empty text", async (t) => {
  const place = { source: "f" };
  const value = { name: "", list: [{ on: true }], record: { a: "b" } };
  t.strictSame(readSection(GOOD, place, SCHEMA), { place, value });
  t.strictSame(readSection({ ...GOOD, name: null }, place, SCHEMA), { place, value });
});

t.test("the first wrong field is named, what it holds is not", async (t) => {
  const cases: Readonly<Record<string, readonly [unknown, string]>> = {
    "a number for a text": [{ ...GOOD, name: 5123 }, "f: top.name: must be a string, not a number"],
    "an object for a text": [{ ...GOOD, name: { SECRET: 1 } }, "f: top.name: must be a string, not an object"],
    "a text in a list": [{ ...GOOD, list: ["SECRET"] }, "f: top.list[0]: must be an object, not a string"],
    "a text for a flag": [{ ...GOOD, list: [{ on: "SECRET" }] }, "f: top.list[0].on: must be a boolean, not a string"],
    "a list for an object": [{ ...GOOD, record: [] }, "f: top.record: must be an object, not a list"],
    "a field left out": [{ record: {} }, "f: top.list: must be a list, not nothing"],
    nothing: [undefined, "f: top: must be an object, not nothing"],
  };
  for (const [name, [raw, message]] of Object.entries(cases)) {
    t.throws(() => readSection(raw, { source: "f", field: "top" }, SCHEMA), { name: "InputError", message }, name);
  }
});

t.test("a place grows field by field", async (t) => {
  t.strictSame(["users", "0", "user"].reduce(enter, { source: "f" }), { source: "f", field: "users[0].user" });
});
