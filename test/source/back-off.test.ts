import t from "tap";
import { BackOff } from "../../src/source/back-off.ts";

/** The first delays of a back-off whose jitter is one number. */
function delays(random: number, max: number): readonly number[] {
  const backOff = new BackOff({ now: () => 0, after: () => () => {}, random: () => random }, 100);
  return Array.from({ length: 6 }, () => backOff.next(max));
}

t.test("delays double up to the maximum, each with jitter below its nominal value", (t) => {
  t.strictSame(delays(0, 1000), [50, 100, 200, 400, 500, 500]);
  t.strictSame(delays(0.5, 1000), [75, 150, 300, 600, 750, 750]);
  t.ok(delays(0.999, 1000).every((delay) => delay < 1000));
  t.end();
});

t.test("a larger maximum lets the delays grow on, and a reset starts them again", (t) => {
  const backOff = new BackOff({ now: () => 0, after: () => () => {}, random: () => 1 }, 400);
  t.strictSame([backOff.next(500), backOff.next(500), backOff.next(5000), backOff.next(5000)], [400, 500, 1000, 2000]);
  backOff.reset();
  t.equal(backOff.next(5000), 400);
  t.end();
});
