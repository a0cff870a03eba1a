// Is a dump read to its end, and one that failed or was disturbed not taken for a short one?
import "../support/enter-sandbox.ts";

import t from "tap";
import { dump } from "../../src/kernel/netlink-dump.ts";
import { type Answer, errnoPayload, netlinkFunction } from "../support/netlink-function.ts";
import { refusalOf } from "../support/refusal.ts";
import { privilege, skipReason } from "../support/sandbox.ts";

const LINKS = { protocol: "route", type: 18, payload: Buffer.alloc(16) } as const;
const ITEM: Answer = { type: 16, flags: 2, sequence: 1, payload: Buffer.of(7) };
const DISTURBED: Answer = { ...ITEM, flags: 0x12 };
const END: Answer = { type: 3, flags: 2, sequence: 1, payload: errnoPayload(0) };
const EINTR = 4;
const ENOMEM = 12;

/** Dumps from a kernel whose first, second… attempt goes as said; the last one is repeated. */
async function dumpFrom(...attempts: readonly (readonly Answer[])[]) {
  let begun = 0;
  const kernel = netlinkFunction({
    answers: () => {
      begun += 1;
      return (attempts[begun - 1] ?? attempts.at(-1) ?? []).map((answer) => [answer]);
    },
  });
  const got = await dump(LINKS, (payload) => payload[0], kernel);
  return { ...got, begun };
}

t.test("to its end", async (t) => {
  t.strictSame(await dumpFrom([ITEM, ITEM, END]), { found: [7, 7], whole: true, begun: 1 });
  t.strictSame(await dumpFrom([END]), { found: [], whole: true, begun: 1 });
});

for (const [name, disturbed] of [
  ["a mark on an item", [DISTURBED, ITEM, END]],
  ["a mark on the end", [ITEM, { ...END, flags: 0x12 }]],
  ["a status at the end", [ITEM, { ...END, payload: errnoPayload(EINTR) }]],
  ["a refusal", [{ ...END, type: 2, payload: errnoPayload(EINTR) }]],
] as const) {
  t.test(`disturbed, told by ${name}: begun anew, up to five times, then what there is`, async (t) => {
    t.strictSame(await dumpFrom(disturbed, [ITEM, ITEM, END]), { found: [7, 7], whole: true, begun: 2 });
    const left = disturbed.filter(({ type }) => type === ITEM.type).map(() => 7);
    t.strictSame(await dumpFrom(disturbed), { found: left, whole: false, begun: 5 });
  });
}

t.test("one that fails on its way is a failure", async (t) => {
  t.match(await refusalOf(dumpFrom([ITEM, { ...END, payload: errnoPayload(ENOMEM) }])), {
    code: "ENOMEM",
    target: "dump 18",
  });
});

t.test("what is left out is left out", async (t) => {
  const kernel = netlinkFunction({ answers: () => [[ITEM, END]] });
  t.strictSame(await dump(LINKS, () => undefined, kernel), { found: [], whole: true });
});

t.test("a real kernel", { skip: skipReason() }, async (t) => {
  const { found, whole } = await dump(LINKS, (payload) => payload.length);
  t.equal(whole, true);
  t.ok(found.length >= 1, "loopback at least");
  t.match(await refusalOf(dump({ ...LINKS, type: 0x3ffe }, () => 1)), { code: "ENOTSUP" });
  const fault = new TypeError("a bug of the reader");
  await t.rejects(
    dump(LINKS, () => {
      throw fault;
    }),
    fault,
  );
});

t.test(
  "who may not ask is refused",
  { skip: privilege().kind !== "root" && "an ordinary user has nobody else to become" },
  async (t) => {
    process.seteuid?.("nobody");
    t.teardown(() => process.seteuid?.(0));
    const flows = { protocol: "netfilter", type: 0x101, payload: Buffer.alloc(4) } as const;
    t.match(await refusalOf(dump(flows, () => 1)), { step: "netfilter netlink", code: "EPERM" });
  },
);
