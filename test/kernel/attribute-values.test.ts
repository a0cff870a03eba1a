import t from "tap";
import { KernelError } from "../../src/errors.ts";
import {
  hostUint16,
  hostUint32,
  nameBytes,
  networkUint16,
  networkUint32,
  readName,
  requiredValue,
} from "../../src/kernel/attribute-values.ts";

t.test("numbers in both orders", async (t) => {
  t.strictSame(
    [hostUint16(0x1234), hostUint32(0x1234_5678), networkUint16(0x1234), networkUint32(0x1234_5678)].map((bytes) =>
      bytes.toString("hex"),
    ),
    ["3412", "78563412", "1234", "12345678"],
  );
  for (const write of [hostUint16, hostUint32, networkUint16, networkUint32]) {
    t.throws(() => write(-1), RangeError);
    t.throws(() => write(2 ** 32), RangeError);
  }
});

t.test("names end with a zero, or with their attribute", async (t) => {
  t.equal(nameBytes("rr").toString("hex"), "727200");
  t.equal(readName(Buffer.from("rr\0\0x")), "rr");
  t.equal(readName(Buffer.from("rr")), "rr");
  t.equal(readName(Buffer.alloc(0)), "");
});

t.test("a value that must be there, of a length that it must have", async (t) => {
  const attributes = new Map([[3, Buffer.of(1, 2)]]);
  t.strictSame(requiredValue(attributes, { type: 3, target: "here" }), Buffer.of(1, 2));
  t.strictSame(requiredValue(attributes, { type: 3, lengths: [1, 2], target: "here" }), Buffer.of(1, 2));
  t.throws(() => requiredValue(attributes, { type: 4, target: "here" }), { message: /here: attribute 4 is missing/ });
  t.throws(() => requiredValue(attributes, { type: 3, lengths: [4, 16], target: "here" }), {
    message: /attribute 3 has 2 bytes instead of 4 or 16/,
  });
  t.throws(() => requiredValue(attributes, { type: 4, target: "here" }), KernelError);
});
