import fc from "fast-check";
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import { readList } from "../../src/kernel/attribute-list.ts";
import { attribute } from "../../src/kernel/attributes.ts";
import { takeSeed } from "../support/seed.ts";

t.test("values in their order, all of them", async (t) => {
  const bytes = Buffer.concat([
    attribute(7, Buffer.of(1)),
    attribute(7, Buffer.of(2, 3)),
    attribute(7, Buffer.alloc(0)),
  ]);
  t.strictSame(readList(bytes), [Buffer.of(1), Buffer.of(2, 3), Buffer.alloc(0)]);
  t.strictSame(readList(Buffer.alloc(0)), []);
});

for (const [name, hex] of [
  ["a header is cut off", "040001"],
  ["a value is cut off", "0900010000000000"],
  ["a length is zero, for ever", "0000000000000000"],
] as const) {
  t.test(`refused: ${name}`, async (t) => {
    t.throws(() => readList(Buffer.from(hex, "hex")), KernelError);
  });
}

t.test("what is written is read again", async (t) => {
  const seed = takeSeed();
  const property = fc.property(fc.array(fc.uint8Array({ maxLength: 9 })), (values) => {
    const read = readList(Buffer.concat(values.map((value) => attribute(1, value))));
    return values.length === read.length && values.every((value, index) => read[index]?.equals(value));
  });
  t.doesNotThrow(() => fc.assert(property, { seed, numRuns: 500 }));
});
