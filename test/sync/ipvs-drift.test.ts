// The check for changes of IPVS by other software, each two seconds.
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import { IpvsDriftCheck } from "../../src/sync/ipvs-drift.ts";
import { HandClock } from "../support/clock.ts";
import { keptLog } from "../support/kept-log.ts";

function setUp() {
  const clock = new HandClock();
  const { logs, lines } = keptLog();
  const found = { ipvs: false, rules: new Set<string>(), error: undefined as Error | undefined };
  const observed: string[] = [];
  const loops = ["IPv4", "IPv6"].map((family) => ({
    observe: () => void observed.push(family),
    rulesMoved: async () => found.rules.delete(family),
  }));
  const ipvsMoved = async () => {
    if (found.error) throw found.error;
    const moved = found.ipvs;
    found.ipvs = false;
    return moved;
  };
  const check = new IpvsDriftCheck({ kernel: { ipvsMoved }, clock, loops, log: logs("ipvs-drift.ts") });
  return { check, clock, found, observed, lines };
}

t.test("a change of IPVS has both families observed within two seconds, one of rules its own", async (t) => {
  const { check, clock, found, observed } = setUp();
  await clock.advance(60_000);
  t.strictSame(observed, []);
  found.ipvs = true;
  await clock.advance(2_000);
  t.strictSame(observed.splice(0), ["IPv4", "IPv6"]);
  found.rules.add("IPv6");
  await clock.advance(2_000);
  t.strictSame(observed.splice(0), ["IPv6"]);
  check.stop();
  t.equal(clock.next(), undefined);
});

t.test("a check that fails is logged once, and goes on", async (t) => {
  const { check, clock, found, observed, lines } = setUp();
  found.error = new KernelError({ step: "route netlink", target: "dump", code: "ENOMEM", words: "no" });
  await clock.advance(10_000);
  t.match(lines, [/^"Cannot check IPVS for changes by other software" err=".*ENOMEM/]);
  found.error = undefined;
  found.ipvs = true;
  await clock.advance(2_000);
  t.equal(observed.length, 2);
  check.stop();
});

t.test("nothing is observed after the end", async (t) => {
  const { check, clock, found, observed } = setUp();
  found.ipvs = true;
  const under = clock.advance(2_000);
  check.stop();
  await under;
  t.strictSame([observed, clock.next()], [[], undefined]);
});
