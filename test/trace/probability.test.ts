// Tests probabilities.
import t from "tap";
import { ALWAYS, type Fraction, fraction, NEVER, plus, printShare, rest, times } from "../../src/trace/probability.ts";

const PRINTED: readonly [Fraction, string][] = [
  [ALWAYS, "100 %"],
  [NEVER, "0 %"],
  [fraction(1, 3), "1/3 (33.3 %)"],
  [fraction(715827883, 2 ** 31), "1/3 (33.3 %)"],
  [fraction(214748365, 2 ** 31), "1/10 (10 %)"],
  [fraction(2 ** 26 - 1, 2 ** 31), "1/32 (3.13 %)"],
  [fraction(5, 7), "5/7 (71.4 %)"],
  [fraction(1, 9999), "1/9999 (0.01 %)"],
  [fraction(1234567, 9999991), "12.3 %"],
  [fraction(1, 2 ** 31), "4.66e-8 %"],
];

t.test("a share is shown as what it stands for", async (t) => {
  for (const [share, text] of PRINTED) t.equal(printShare(share), text, text);
});

for (const count of [2, 3, 44, 1000, 2048]) {
  t.test(`each of ${count} endpoints has an equal share`, async (t) => {
    const shares: Fraction[] = [];
    let left = ALWAYS;
    for (let behind = count; behind > 0; behind -= 1) {
      const drawn = fraction(Math.round(2 ** 31 * Number((1 / behind).toFixed(10))), 2 ** 31);
      shares.push(times(left, drawn));
      left = times(left, rest(drawn));
    }
    const percent = Number((100 / count).toPrecision(3));
    t.strictSame([...new Set(shares.map(printShare))], [`1/${count} (${percent} %)`]);
    const { top, bottom } = shares.reduce(plus);
    t.equal(top, bottom, "and together they are all");
  });
}

t.test("shares of different bottoms are added", async (t) => {
  t.equal(printShare(plus(fraction(1, 3), fraction(1, 2))), "5/6 (83.3 %)");
  t.equal(printShare(plus(fraction(1, 6), fraction(1, 2))), "2/3 (66.7 %)");
});
