import t from "tap";
import { MOST, Repeats, WINDOW } from "../../src/sync/repeats.ts";
import { HandClock } from "../support/clock.ts";

function setUp() {
  const clock = new HandClock();
  const told: (readonly [string, number])[] = [];
  const repeats = new Repeats<string>(
    (delay, callback) => clock.after(delay, callback),
    (first, leftOut) => told.push([first, leftOut]),
  );
  /** How many of so many alike are said. */
  const say = (kind: string, times: number) =>
    Array.from({ length: times }, (_, index) => repeats.admit(kind, () => `${kind} ${index}`)).filter(Boolean).length;
  return { clock, told, say };
}

t.test("a hundred alike are said, of the rest the number", async (t) => {
  const { clock, told, say } = setUp();
  t.equal(say("bad input", MOST + 900), MOST);
  t.equal(say("something else", 1), 1, "others are not held back by it");
  await clock.advance(WINDOW - 1);
  t.strictSame(told, []);
  await clock.advance(1);
  t.strictSame(told, [["bad input 0", 900]]);
});

t.test("after the window all begins anew", async (t) => {
  const { clock, told, say } = setUp();
  say("bad input", MOST);
  await clock.advance(WINDOW);
  t.strictSame(told, [], "a hundred are no flood");
  t.equal(say("bad input", MOST + 1), MOST);
});

t.test("what is left out is not even made", async (t) => {
  const repeats = new Repeats<number>(
    () => {},
    () => {},
  );
  let made = 0;
  for (let time = 0; time < MOST + 50; time++) repeats.admit("a", () => ++made);
  t.equal(made, MOST);
});
