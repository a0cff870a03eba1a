// Is a family of generic netlink found, by a real kernel too, and none taken for one?
import "../support/enter-sandbox.ts";

import t from "tap";
import { KernelError } from "../../src/errors.ts";
import { attribute } from "../../src/kernel/attributes.ts";
import { findFamily, genericPayload, readGeneric } from "../../src/kernel/generic-netlink.ts";
import { type Answer, errnoPayload, netlinkFunction } from "../support/netlink-function.ts";
import { refusalOf } from "../support/refusal.ts";
import { skipReason } from "../support/sandbox.ts";

const END: Answer = { type: 2, sequence: 1, payload: errnoPayload(0) };

function kernel(...answers: readonly Answer[]) {
  return netlinkFunction({ answers: () => [answers] });
}

function told(value: Buffer): Answer {
  return {
    type: 0x10,
    sequence: 1,
    payload: genericPayload(1, 2, attribute(2, Buffer.from("X\0")), attribute(1, value)),
  };
}

t.test("a message is a header and attributes", async (t) => {
  const bytes = genericPayload(5, 1, attribute(1, Buffer.of(9)));
  t.equal(bytes.toString("hex"), "050100000500010009000000");
  t.strictSame(readGeneric(bytes, "here").get(1), Buffer.of(9));
  t.throws(() => readGeneric(bytes.subarray(0, 3), "here"), KernelError);
});

t.test("a family is asked for by its name", async (t) => {
  const asked: string[] = [];
  const listening = netlinkFunction({
    answers: (bytes) => {
      asked.push(bytes.toString("hex"));
      return [[told(Buffer.of(0x20, 0)), END]];
    },
  });
  t.equal(await findFamily("IPVS", listening), 0x20);
  t.strictSame(asked, [
    "20000000" + "10000500" + "01000000" + "00000000" + "03010000" + "09000200" + "4950565300000000",
  ]);
});

t.test("none of this name", async (t) => {
  t.equal(await findFamily("IPVS", kernel({ ...END, payload: errnoPayload(2) })), undefined);
});

for (const [name, answers] of [
  ["a refusal", [{ ...END, payload: errnoPayload(12) }]],
  ["zero, which nobody answers", [told(Buffer.of(0, 0)), END]],
  ["the number of another part", [told(Buffer.of(0x10, 0)), END]],
  ["half a number", [told(Buffer.of(0x20)), END]],
] as const) {
  t.test(`refused: ${name}`, async (t) => {
    t.match(await refusalOf(findFamily("IPVS", kernel(...answers))), { target: "family IPVS" });
  });
}

t.test("a real kernel", { skip: skipReason() }, async (t) => {
  t.equal(await findFamily("nlctrl").catch(() => "its own number"), "its own number");
  t.equal(await findFamily("NO-SUCH-FAMILY"), undefined);
});
