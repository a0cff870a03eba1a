import t from "tap";
import { printRetirement, printServerChange } from "../../src/plan/server-commands.ts";
import type { ServerChange } from "../../src/state/server-change.ts";

const server = {
  address: "fd00::1",
  protocol: "UDP",
  port: 53,
  scheduler: "mh",
  schedulerFlags: 0x10,
  persistence: 300,
} as const;
const real = { address: "fd00:1::2", port: 5353, method: "masquerade", weight: 1 } as const;

t.test("each change as ipvsadm takes it", async (t) => {
  const cases: readonly [ServerChange, string][] = [
    [{ kind: "add-server", server }, "-A -u [fd00::1]:53 -s mh -p 300 -b mh-port"],
    [{ kind: "set-server", server }, "-E -u [fd00::1]:53 -s mh -p 300 -b mh-port"],
    [{ kind: "remove-server", server }, "-D -u [fd00::1]:53"],
    [{ kind: "add-real", server, real }, "-a -u [fd00::1]:53 -r [fd00:1::2]:5353 -m -w 1"],
    [{ kind: "set-real", server, real }, "-e -u [fd00::1]:53 -r [fd00:1::2]:5353 -m -w 1"],
    [{ kind: "remove-real", server, real }, "-d -u [fd00::1]:53 -r [fd00:1::2]:5353"],
  ];
  for (const [change, line] of cases) t.equal(printServerChange(change), line);
});

t.test("one that has connections gets no more, and goes the next time", async (t) => {
  t.equal(printRetirement({ server, real }), "-e -u [fd00::1]:53 -r [fd00:1::2]:5353 -m -w 0");
  t.equal(printRetirement({ server, real: { ...real, weight: 0 } }), "-d -u [fd00::1]:53 -r [fd00:1::2]:5353");
});
