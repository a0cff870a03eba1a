// Tests the helpers of value types.
import t from "tap";
import { z } from "zod";
import { InputError } from "../../src/errors.ts";
import { checked, lastOf, rewording } from "../../src/options/value-type.ts";

t.test("every value is parsed and the last one is used", async (t) => {
  const read: string[] = [];
  const parse = lastOf((text) => {
    read.push(text);
    return text.toUpperCase();
  });
  t.equal(parse(["a", "b", "c"]), "C");
  t.strictSame(read, ["a", "b", "c"]);
});

t.test("an input error is worded anew, a bug is not", async (t) => {
  const word = (reason: string) => `not good: ${reason}`;
  const bad = new InputError({ field: "f" }, "bad");
  const bug = new TypeError("bug");
  t.throws(() => rewording(fail(bad), word), { name: "InputError", message: "f: not good: bad" });
  t.throws(() => rewording(fail(bug), word), bug);
  t.equal(
    rewording(() => 1, word),
    1,
  );
});

t.test("a schema takes over the complaint about the input, not a bug", async (t) => {
  const schema = (error: Error) => z.string().transform(checked(fail(error)));
  t.match(schema(new InputError({}, "bad")).safeParse("x"), {
    success: false,
    error: { issues: [{ message: "bad" }] },
  });
  t.throws(() => schema(new TypeError("bug")).safeParse("x"), { name: "TypeError", message: "bug" });
});

function fail(error: Error): () => never {
  return () => {
    throw error;
  };
}
