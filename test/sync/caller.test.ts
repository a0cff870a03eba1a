import t from "tap";
import { callerOf } from "../../src/sync/caller.ts";

function speak(): string | undefined {
  return callerOf(speak);
}

t.test("the line that calls is told, whatever lies between", async (t) => {
  const lines = [speak(), speak()];
  t.match(lines[0], /^caller\.test\.ts:9$/);
  t.match((() => speak())(), /^caller\.test\.ts:11$/);
});

t.test("a call from no file tells nothing", async (t) => {
  t.strictSame([1].map(speak), [undefined]);
});

t.test("stack traces of others keep their length", async (t) => {
  const limit = Error.stackTraceLimit;
  speak();
  t.equal(Error.stackTraceLimit, limit);
});
