// Is a probability read as people write it, and how exactly is it meant?
import t from "tap";
import { readProbability } from "../../src/source/probability.ts";

const GOOD: readonly [text: string, value: number, tolerance: number][] = [
  ["1/3", 1 / 3, 1e-6],
  ["3/3", 1, 1e-6],
  ["0", 0, 1e-6],
  ["1", 1, 1e-6],
  ["0.5", 0.5, 0.05],
  ["0.333", 0.333, 0.0005],
  ["33 %", 0.33, 0.005],
  ["33.3 %", 0.333, 0.0005],
  ["33.333333333%", 0.33333333333, 1e-6],
];

for (const [text, value, tolerance] of GOOD) {
  t.test(text, async (t) => {
    const read = readProbability(text);
    t.equal(read?.text, text);
    t.ok(Math.abs((read?.value ?? -1) - value) < 1e-12, String(read?.value));
    t.ok(Math.abs((read?.tolerance ?? -1) - tolerance) < 1e-12, String(read?.tolerance));
  });
}

for (const text of ["", "a third", "4/3", "1/0", "0/0", "-0.5", "2", "101 %", "1/3 %", "0.5.5"]) {
  t.equal(readProbability(text), undefined, `${JSON.stringify(text)} is none`);
}
