import fc from "fast-check";
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import { errnoName, errnoOf, FLAG, frame, readMessages, sizeOf } from "../../src/kernel/netlink-message.ts";
import { takeSeed } from "../support/seed.ts";

const REQUESTS = [
  { type: 0x102, flags: FLAG.create, payload: Buffer.of(1) },
  { type: 0x103, flags: 0, payload: Buffer.of(1, 2, 3, 4) },
];

t.test("requests stand one behind the other, padded, and only the last one is to be acknowledged", async (t) => {
  t.equal(
    frame(REQUESTS, 5).toString("hex"),
    ["1100000002010104050000000000000001000000", "1400000003010500060000000000000001020304"].join(""),
  );
  t.equal(frame([], 0).length, 0);
  t.strictSame(REQUESTS.map(sizeOf), [20, 20]);
});

t.test("messages are found where they were put", async (t) => {
  const found = readMessages(frame(REQUESTS, 5));
  t.strictSame(
    found.map(({ type, sequence, interrupted, payload }) => [type, sequence, interrupted, payload.toString("hex")]),
    [
      [0x102, 5, false, "01"],
      [0x103, 6, false, "01020304"],
    ],
  );
});

t.test("an interrupted dump is marked", async (t) => {
  const bytes = frame([{ type: 3, flags: 0x10, payload: Buffer.alloc(4) }], 1);
  t.equal(readMessages(bytes)[0]?.interrupted, true);
});

for (const [name, hex] of [
  ["half a header", "1000000003000200"],
  ["less than a header", "0f0000000300020001000000000000"],
  ["less than it says", "14000000030002000100000000000000"],
  ["nothing, for ever", "00000000030002000100000000000000"],
] as const) {
  t.test(`refused: a message that is ${name}`, async (t) => {
    t.throws(() => readMessages(Buffer.from(hex, "hex")), KernelError);
  });
}

function acknowledgement(payload: Buffer) {
  return { type: 2, interrupted: false, sequence: 1, payload };
}

t.test("an acknowledgement says whether it is a refusal", async (t) => {
  t.equal(errnoOf(acknowledgement(Buffer.from("00000000", "hex"))), 0);
  t.equal(errnoOf(acknowledgement(Buffer.from("feffffff", "hex"))), 2);
  t.equal(errnoOf(acknowledgement(Buffer.from("05000000", "hex"))), 0, "a dump may end with any good number");
  t.throws(() => errnoOf(acknowledgement(Buffer.alloc(3))), KernelError);
});

t.test("a refusal has a name, or a number where the kernel has codes of its own", async (t) => {
  t.equal(errnoName(2), "ENOENT");
  t.equal(errnoName(4097), "4097");
});

t.test("any bytes are messages within their bounds, or refused", async (t) => {
  const seed = takeSeed();
  const property = fc.property(fc.uint8Array({ maxLength: 96 }), (bytes) => {
    try {
      return readMessages(Buffer.from(bytes)).every(({ payload }) => payload.length <= bytes.length - 16);
    } catch (error) {
      return error instanceof KernelError;
    }
  });
  t.doesNotThrow(() => fc.assert(property, { seed, numRuns: 5000 }));
});
