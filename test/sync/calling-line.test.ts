import t from "tap";
import { callingLine } from "../../src/sync/calling-line.ts";

function speak(): number | undefined {
  return callingLine(speak);
}

t.test("the line that calls is told, whatever lies between", async (t) => {
  const lines = [speak(), speak()];
  t.strictSame(lines, [9, 9]);
  t.equal((() => speak())(), 11);
});

t.test("a call from no file tells nothing", async (t) => {
  t.strictSame([1].map(speak), [undefined]);
});

t.test("stack traces of others keep their length", async (t) => {
  const limit = Error.stackTraceLimit;
  speak();
  t.equal(Error.stackTraceLimit, limit);
});
