// Does a conversation end where nothing, too much or no socket comes?
import "../support/enter-sandbox.ts";

import { spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import t from "tap";
import { withSocket } from "../../src/kernel/netlink.ts";
import { frame } from "../../src/kernel/netlink-message.ts";
import { refusalOf } from "../support/refusal.ts";
import { skipReason } from "../support/sandbox.ts";

const skip = skipReason();

t.test("buffers are at least those that any machine grants", { skip }, async (t) => {
  await withSocket("netfilter", "batch", async ({ receiveBuffer, sendBuffer }) => {
    t.ok(receiveBuffer >= 212_992 && sendBuffer >= 212_992, `${receiveBuffer} ${sendBuffer}`);
  });
});

t.test("an answer that never comes ends in a refusal after five seconds", { skip }, async (t) => {
  const begin = performance.now();
  // A message that says it is shorter than its header: the kernel passes over it in silence.
  const silent = withSocket("netfilter", "batch", ({ exchange }) => exchange(Buffer.alloc(16), () => true));
  t.match(await refusalOf(silent), { step: "netfilter netlink", target: "answer", code: "ETIMEDOUT" });
  t.ok(performance.now() - begin >= 4_900);
});

t.test("an answer that is there in time is not missed because we were busy", { skip }, async (t) => {
  const request = frame([{ type: 0x17e, flags: 0, payload: Buffer.alloc(4) }], 0);
  await withSocket("netfilter", "batch", async ({ exchange }) => {
    const answered = exchange(request, () => true);
    const end = performance.now() + 5_200;
    while (performance.now() < end);
    await answered;
  });
  t.pass("and no refusal");
});

t.test("an answer larger than a dump's pieces is refused, not cut off", { skip }, async (t) => {
  const large = frame([{ type: 0x17e, flags: 0, payload: Buffer.alloc(40_000) }], 0);
  const asked = withSocket("netfilter", "dump", ({ exchange }) => exchange(large, () => true));
  t.match(await refusalOf(asked), { target: "answer", code: "EMSGSIZE" });
});

t.test("where no socket can be had, that is said", { skip }, async (t) => {
  const spare = openSync("/dev/null", "r");
  const limit = (count: string) => spawnSync("prlimit", ["--pid", `${process.pid}`, `--nofile=${count}:`]);
  limit("256");
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync("/dev/null", "r"));
  } catch {}
  const asked = withSocket("netfilter", "batch", async () => {});
  t.match(await refusalOf(asked), { step: "netfilter netlink", target: "socket", code: "EMFILE" });
  for (const file of [spare, ...taken]) closeSync(file);
  limit("1024");
});
