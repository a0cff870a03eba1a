import t from "tap";
import { BackOff } from "../../src/source/back-off.ts";

/** Back-off whose time is moved by hand and whose chance is one number. */
function make(chance: number) {
  const time = { now: 0 };
  const backOff = new BackOff({ now: () => time.now, after: () => () => {}, random: () => chance });
  return { time, backOff };
}

t.test("delays double from 0.8 s to 30 s", (t) => {
  const { backOff } = make(0);
  const delays = Array.from({ length: 8 }, () => backOff.next(0));
  t.strictSame(delays, [800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
  t.end();
});

t.test("chance adds up to as much again", (t) => {
  const { backOff } = make(0.75);
  t.strictSame([backOff.next(0), backOff.next(0)], [1400, 2800]);
  t.end();
});

t.test("two quiet minutes make it begin anew", (t) => {
  const { backOff, time } = make(0);
  backOff.next(0);
  time.now = 120_000;
  t.equal(backOff.next(0), 1600, "not yet");
  time.now = 240_001;
  t.equal(backOff.next(0), 800);
  t.end();
});

t.test("a server may ask for more patience, within reason", (t) => {
  const { backOff } = make(0);
  t.equal(backOff.next(100), 800, "less than our own");
  t.equal(backOff.next(10_000), 10_000);
  t.equal(backOff.next(86_400_000), 300_000);
  t.end();
});
