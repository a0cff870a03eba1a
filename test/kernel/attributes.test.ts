import fc from "fast-check";
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import { attribute, nested, readAttributes } from "../../src/kernel/attributes.ts";
import { takeSeed } from "../support/seed.ts";

t.test("a value is padded, and its length is told without that", async (t) => {
  t.equal(attribute(7, Buffer.from("abc")).toString("hex"), "0700070061626300");
  t.equal(attribute(0x4002, Buffer.alloc(0)).toString("hex"), "04000240");
});

t.test("attributes in attributes are marked so", async (t) => {
  t.equal(nested(1, attribute(2, Buffer.of(9))).toString("hex"), "0c0001800500020009000000");
});

t.test("what is written is read again, whatever marks its type has", async (t) => {
  const bytes = Buffer.concat([attribute(0x4003, Buffer.of(1, 2)), nested(4, attribute(1, Buffer.of(5)))]);
  const read = readAttributes(bytes);
  t.strictSame(read.get(3), Buffer.of(1, 2));
  t.strictSame(readAttributes(read.get(4) ?? Buffer.alloc(0)).get(1), Buffer.of(5));
  t.equal(readAttributes(Buffer.alloc(0)).size, 0);
});

t.test("of two of a type the last one counts", async (t) => {
  const bytes = Buffer.concat([attribute(1, Buffer.of(1)), attribute(1, Buffer.of(2))]);
  t.strictSame(readAttributes(bytes).get(1), Buffer.of(2));
});

t.test("the last one need not be padded", async (t) => {
  t.strictSame(readAttributes(Buffer.from("0500010009", "hex")).get(1), Buffer.of(9));
});

for (const [name, hex] of [
  ["a header is cut off", "040001"],
  ["a value is cut off", "0900010000000000"],
  ["a length is less than the header's", "0300010000000000"],
  ["a length is zero, for ever", "0000000000000000"],
] as const) {
  t.test(`refused: ${name}`, async (t) => {
    t.throws(() => readAttributes(Buffer.from(hex, "hex")), KernelError);
  });
}

t.test("any bytes are read within their bounds, or refused", async (t) => {
  const seed = takeSeed();
  const property = fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
    try {
      const length = [...readAttributes(bytes).values()].reduce((sum, value) => sum + value.length, 0);
      return length <= bytes.length;
    } catch (error) {
      return error instanceof KernelError;
    }
  });
  t.doesNotThrow(() => fc.assert(property, { seed, numRuns: 5000 }));
});
