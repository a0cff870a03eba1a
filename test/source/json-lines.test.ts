import fc from "fast-check";
import t from "tap";
import { JsonFault } from "../../src/source/held-bytes.ts";
import { JsonLines } from "../../src/source/json-lines.ts";
import { takeSeed } from "../support/seed.ts";

function read(text: string, size = 1_000_000): readonly unknown[] {
  const bytes = Buffer.from(text);
  const lines = new JsonLines();
  const values: unknown[] = [];
  for (let start = 0; start < bytes.length; start += size)
    values.push(...lines.push(bytes.subarray(start, start + size)));
  return values;
}

const STREAMS: Readonly<Record<string, readonly [string, readonly unknown[]]>> = {
  "one line": ['{"a":1}\n', [{ a: 1 }]],
  "several lines": ['1\n"a"\nnull\n', [1, "a", null]],
  "half a line at the end is none": ['{"a":1}\n{"a":2}', [{ a: 1 }]],
  "empty lines are none": ["\n\r\n1\n \n", [1]],
  "a carriage return before the break": ["1\r\n", [1]],
  "letters of several bytes": ['"ä€😀"\n', ["ä€😀"]],
  nothing: ["", []],
};

for (const [name, [text, values]] of Object.entries(STREAMS)) {
  t.test(name, (t) => {
    for (const size of [1, 2, 3, 100]) t.strictSame(read(text, size), values, `${size} bytes at a time`);
    t.end();
  });
}

t.test("a line that is no JSON", (t) => {
  t.throws(() => read("<html>\n"), JsonFault);
  t.end();
});

t.test("only the line that is not whole is kept", (t) => {
  const lines = new JsonLines();
  t.strictSame([...lines.push(Buffer.from("1\n2\n345"))], [1, 2]);
  t.equal(lines.held, 3);
  t.strictSame([...lines.push(Buffer.from("\n"))], [345]);
  t.equal(lines.held, 0);
  t.end();
});

const SEED = takeSeed();

t.test("any values in any pieces come out again", (t) => {
  const property = fc.property(fc.array(fc.jsonValue()), fc.integer({ min: 1, max: 30 }), (values, size) => {
    const texts = values.map((value) => JSON.stringify(value));
    t.strictSame(
      read(texts.map((text) => `${text}\n`).join(""), size),
      texts.map((text) => JSON.parse(text)),
    );
  });
  fc.assert(property, { seed: SEED, numRuns: 100 });
  t.end();
});
