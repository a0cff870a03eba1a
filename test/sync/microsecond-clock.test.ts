import t from "tap";
import { microsecondClock } from "../../src/sync/microsecond-clock.ts";

/** What the two clocks show, and what time that makes. All in milliseconds. */
const STEPS: readonly (readonly [name: string, wall: number, own: number, time: number])[] = [
  ["at first the millisecond begins", 1000, 50.25, 1000],
  ["the own clock gives the fraction", 1000, 50.75, 1000.5],
  ["and goes on with the wall", 1001, 51.75, 1001.5],
  ["never beyond the millisecond shown", 1001, 53.25, 1001.999],
  ["a wall clock set forward is followed", 9000, 54.25, 9000],
  ["and one set back", 500, 55.25, 500.999],
];
t.test("a fraction within the millisecond that the wall clock shows", async (t) => {
  let [wall, own] = [0, 0];
  const now = microsecondClock(
    () => wall,
    () => own,
  );
  for (const [name, shown, passed, time] of STEPS) {
    [wall, own] = [shown, passed];
    t.equal(Math.round(now() * 1000), Math.round(time * 1000), name);
  }
});

t.test("with the machine's clocks it is now", async (t) => {
  const now = microsecondClock();
  const before = Date.now();
  const time = now();
  t.ok(time >= before && time < Date.now() + 1, `${before} <= ${time}`);
});
