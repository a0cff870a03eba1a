// Is a question answered, by a real kernel too, and an answer to something else not believed?
import "../support/enter-sandbox.ts";

import t from "tap";
import { KernelError } from "../../src/errors.ts";
import { ask } from "../../src/kernel/netlink-question.ts";
import { type Answer, errnoPayload, netlinkFunction } from "../support/netlink-function.ts";
import { skipReason } from "../support/sandbox.ts";

const QUESTION = { type: 18, flags: 0, payload: Buffer.alloc(16) };
const GOOD: Answer = { type: 16, sequence: 1, payload: Buffer.of(7) };
const END: Answer = { type: 2, sequence: 1, payload: errnoPayload(0) };

for (const [name, datagrams] of [
  ["in one piece", [[GOOD, END]]],
  ["in two", [[GOOD], [END]]],
] as const) {
  t.test(`an answer ${name}`, async (t) => {
    const answer = await ask("route", QUESTION, netlinkFunction({ answers: () => datagrams }));
    t.strictSame(answer, { kind: "told", payload: Buffer.of(7) });
  });
}

t.test("a refusal", async (t) => {
  const refusal = netlinkFunction({ answers: () => [[{ ...END, payload: errnoPayload(19) }]] });
  t.strictSame(await ask("route", QUESTION, refusal), { kind: "refused", errno: 19 });
});

t.test("an answer to something else", async (t) => {
  const other = netlinkFunction({ answers: () => [[{ ...GOOD, sequence: 2 }, END]] });
  await t.rejects(ask("route", QUESTION, other), KernelError);
  await t.rejects(ask("route", QUESTION, netlinkFunction({ answers: () => [[END]] })), KernelError, "nothing at all");
});

t.test("a real kernel", { skip: skipReason() }, async (t) => {
  const byIndex = Buffer.alloc(16);
  byIndex.writeInt32LE(1, 4);
  const answer = await ask("route", { ...QUESTION, payload: byIndex });
  t.equal(answer.kind === "told" && answer.payload.readInt32LE(4), 1);
  byIndex.writeInt32LE(9999, 4);
  t.strictSame(await ask("route", { ...QUESTION, payload: byIndex }), { kind: "refused", errno: 19 });
});
