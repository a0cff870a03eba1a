// Checks what is logged of a sync: progress of a long one, rejected items, and its end.
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import type { Kept } from "../../src/sync/keeper.ts";
import { createLog } from "../../src/sync/log.ts";
import { PassLog } from "../../src/sync/pass-log.ts";
import { Verbosity } from "../../src/sync/verbosity.ts";
import { buildIpvsFragment, buildIpvsState } from "../support/build-ipvs.ts";
import { HandClock } from "../support/clock.ts";

t.test("a line each second of a pass that takes long, none of one that does not", async (t) => {
  const lines: string[] = [];
  const clock = new HandClock();
  const log = createLog("text", (line) => lines.push(line))("pass.ts");
  const passLog = new PassLog({ family: "IPv6", mode: "iptables", clock, log });
  await clock.advance(5_000);
  passLog.begin();
  for (let done = 1; done <= 10; done++) {
    await clock.advance(300);
    passLog.progressed({ done, of: 10, rules: done * 1_000 });
  }
  t.match(lines, [
    /"Writing rules" ipFamily="IPv6" rules=4000 steps="4\/10"/,
    /"Writing rules" ipFamily="IPv6" rules=8000 steps="8\/10"/,
  ]);
});

t.test("each rejected item is logged with its key, its Service port and the kernel's words", async (t) => {
  const lines: string[] = [];
  const log = createLog("text", (line) => lines.push(line))("pass.ts");
  const passLog = new PassLog({ family: "IPv4", mode: "ipvs", clock: new HandClock(), log });
  const error = new KernelError({ step: "bind address", target: "224.0.0.1", code: "EINVAL", words: "no" });
  const applied = { done: [], sent: new Map(), items: [], draining: [] };
  const attempts = [{ plan: { steps: [], kept: [] }, applied }];
  const items = ["224.0.0.1", "10.96.0.1"].map((key) => ({ key, error }));
  const held = buildIpvsState([buildIpvsFragment("shop/web:http/TCP", { addresses: ["224.0.0.1"] })]);
  passLog.end({ ...NOTHING, attempts, items }, held);
  const said = '"Kernel rejected this item; skipping it and retrying later" ipFamily="IPv4"';
  t.match(lines, [
    `${said} item="224.0.0.1" servicePort="shop/web:http/TCP" code="EINVAL" err="bind address 224.0.0.1: no`,
    `${said} item="10.96.0.1" code="EINVAL"`,
    "SyncProxyRules complete",
  ]);
  t.match(lines[0], /^E/);
});

t.test(
  "the first sync is logged when it is complete, later ones that change nothing from verbosity 2 on",
  async (t) => {
    for (const [level, count] of [
      [1, 1],
      [2, 3],
    ] as const) {
      const lines: string[] = [];
      const log = createLog("text", (line) => lines.push(line), { verbosity: new Verbosity(level) })("pass.ts");
      const passLog = new PassLog({ family: "IPv4", mode: "ipvs", clock: new HandClock(), log });
      for (let sync = 0; sync < 3; sync++) passLog.end(NOTHING);
      t.equal(lines.length, count, `verbosity ${level}`);
      for (const line of lines)
        t.match(line, /^I.*"SyncProxyRules complete" ipFamily="IPv4" mode="ipvs" elapsed="1ms" steps=0$/m);
    }
  },
);

/** A sync that found nothing to do. */
const NOTHING: Kept = {
  elapsed: 1,
  scope: "full",
  attempts: [],
  drift: undefined,
  restored: false,
  rejected: [],
  items: [],
};
