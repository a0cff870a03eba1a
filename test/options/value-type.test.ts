import t from "tap";
import { InputError } from "../../src/errors.ts";
import { lastOf, rewording } from "../../src/options/value-type.ts";

t.test("every text is read, the last one counts", async (t) => {
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

function fail(error: Error): () => never {
  return () => {
    throw error;
  };
}
