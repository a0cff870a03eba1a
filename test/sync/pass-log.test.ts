// Is a long pass heard of while it runs?
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import { createLog } from "../../src/sync/log.ts";
import { PassLog } from "../../src/sync/pass-log.ts";
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

t.test("each thing that is done without is said, by its key, with the kernel's words", async (t) => {
  const lines: string[] = [];
  const log = createLog("text", (line) => lines.push(line))("pass.ts");
  const passLog = new PassLog({ family: "IPv4", mode: "ipvs", clock: new HandClock(), log });
  const error = new KernelError({ step: "bind address", target: "224.0.0.1", code: "EINVAL", words: "no" });
  const applied = { done: [], sent: new Map(), items: [], draining: [] };
  const attempts = [{ plan: { steps: [], kept: [] }, applied }];
  const items = [{ key: "224.0.0.1", error }];
  passLog.end({ elapsed: 1, scope: "full", attempts, drift: undefined, restored: false, rejected: [], items });
  t.match(lines, [
    /^E.*"The kernel refused this; it is done without for some time, all else is served" ipFamily="IPv4" item="224\.0\.0\.1" code="EINVAL" err="bind address 224\.0\.0\.1: no/,
  ]);
  t.equal(lines.length, 1);
});

t.test("a pass that did nothing is not worth a line", async (t) => {
  const lines: string[] = [];
  const log = createLog("text", (line) => lines.push(line))("pass.ts");
  const passLog = new PassLog({ family: "IPv4", mode: "ipvs", clock: new HandClock(), log });
  passLog.end({ elapsed: 1, scope: "full", attempts: [], drift: undefined, restored: false, rejected: [], items: [] });
  t.strictSame(lines, []);
});
