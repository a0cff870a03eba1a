// Tests durations in the format of Go.
import fc from "fast-check";
import t from "tap";
import { millisecondsOf, parseDuration, printDuration } from "../../src/options/duration.ts";

const second = 1_000_000_000n;

const read: readonly [string, bigint, string][] = [
  ["0", 0n, "0s"],
  ["-0", 0n, "0s"],
  ["0s", 0n, "0s"],
  ["1ns", 1n, "1ns"],
  ["1100ns", 1100n, "1.1µs"],
  ["2us", 2000n, "2µs"],
  ["2µs", 2000n, "2µs"],
  ["2μs", 2000n, "2µs"],
  ["300ms", 300_000_000n, "300ms"],
  ["2.2ms", 2_200_000n, "2.2ms"],
  ["30s", 30n * second, "30s"],
  ["1.5s", 1_500_000_000n, "1.5s"],
  [".5s", 500_000_000n, "500ms"],
  ["1.s", second, "1s"],
  ["90s", 90n * second, "1m30s"],
  ["15m", 900n * second, "15m0s"],
  ["1h", 3600n * second, "1h0m0s"],
  ["24h", 86_400n * second, "24h0m0s"],
  ["1h15m30.918s", 4_530_918_000_000n, "1h15m30.918s"],
  ["15m1h", 4500n * second, "1h15m0s"],
  ["-1.5h", -5400n * second, "-1h30m0s"],
  ["+5s", 5n * second, "5s"],
  ["0.3333333333333333333h", 1_199_999_999_999n, "19m59.999999999s"],
  ["2562047h47m16.854775807s", 2n ** 63n - 1n, "2562047h47m16.854775807s"],
  ["-2562047h47m16.854775808s", -(2n ** 63n), "-2562047h47m16.854775808s"],
];

for (const [text, nanoseconds, printed] of read) {
  t.test(`${text} is read and printed as ${printed}`, async (t) => {
    t.equal(parseDuration(text), nanoseconds);
    t.equal(printDuration(nanoseconds), printed);
  });
}

const refused: readonly [string, string][] = [
  ["", 'time: invalid duration ""'],
  ["-", 'time: invalid duration "-"'],
  [".", 'time: invalid duration "."'],
  [".s", 'time: invalid duration ".s"'],
  ["s", 'time: invalid duration "s"'],
  ["5", 'time: missing unit in duration "5"'],
  ["1h5", 'time: missing unit in duration "1h5"'],
  ["1d", 'time: unknown unit "d" in duration "1d"'],
  ["1.2.3s", 'time: missing unit in duration "1.2.3s"'],
  ["1 s", 'time: unknown unit " s" in duration "1 s"'],
  ["+-5s", 'time: invalid duration "+-5s"'],
  ["2562047h47m16.854775808s", 'time: invalid duration "2562047h47m16.854775808s"'],
];

for (const [text, message] of refused) {
  t.test(`${JSON.stringify(text)} is no duration`, async (t) => {
    t.throws(() => parseDuration(text), { name: "InputError", message });
  });
}

t.test("every duration is read back as it was printed", async (t) => {
  const seed = 20;
  t.comment(`seed ${seed}`);
  const any = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  fc.assert(
    fc.property(fc.oneof(any, fc.bigInt({ min: -(10n ** 10n), max: 10n ** 10n })), (nanoseconds) => {
      return parseDuration(printDuration(nanoseconds)) === nanoseconds;
    }),
    { seed, numRuns: 500 },
  );
});

t.test("milliseconds keep what is finer", async (t) => {
  t.equal(millisecondsOf(1_500_000n), 1.5);
  t.equal(millisecondsOf(30n * second), 30_000);
});
