// Is the text in pieces the same text?
import t from "tap";
import { inPieces } from "../../src/kernel/input-pieces.ts";

const LINE = `${"x".repeat(99)}\n`;

for (const count of [0, 1, 163, 164, 165, 1000]) {
  t.test(`${count} lines of 100 characters`, async (t) => {
    const lines = Array.from({ length: count }, () => LINE);
    const pieces = [...inPieces(lines)];
    t.equal(pieces.join(""), lines.join(""));
    t.ok(pieces.length <= Math.ceil(count / 164), `${pieces.length} pieces`);
  });
}

t.test("no more lines are made than the piece needs", async (t) => {
  let made = 0;
  const lines = function* () {
    for (; made < 1000; made++) yield LINE;
  };
  for (const _ of inPieces(lines())) break;
  t.ok(made < 200, `${made} lines`);
});
