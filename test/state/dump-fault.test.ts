import t from "tap";
import { RuleSyntaxError } from "../../src/errors.ts";
import { readPart } from "../../src/state/dump-fault.ts";

t.test("a fault has the line of the whole, and is else the same", async (t) => {
  const fail = (error: Error) => () => {
    throw error;
  };
  const fault = new RuleSyntaxError(3, "some: text", "not: this");
  t.throws(() => readPart(fail(fault), (line) => line + 40), new RuleSyntaxError(43, "some: text", "not: this"));
  t.throws(() => readPart(fail(new RangeError("of ours")), Number), new RangeError("of ours"));
  t.equal(
    readPart(() => 7, Number),
    7,
  );
});
