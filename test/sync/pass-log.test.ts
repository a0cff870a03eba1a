// Is a long pass heard of while it runs?
import t from "tap";
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
