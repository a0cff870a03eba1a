// Are kernel settings read and written where they should be? In a namespace: the host's own are not touched.
import "../support/enter-sandbox.ts";

import t from "tap";
import { machine } from "../../src/kernel/kernel.ts";
import { observeSysctls, readSysctl, writeSysctl } from "../../src/kernel/sysctl.ts";
import { FakeIptables } from "../support/fake-iptables.ts";
import { skipReason } from "../support/sandbox.ts";

const ROUTE_LOCALNET = "net/ipv4/conf/all/route_localnet";

t.test("a setting is written and read back", { skip: skipReason() }, async (t) => {
  await writeSysctl(ROUTE_LOCALNET, "1");
  t.equal(await readSysctl(ROUTE_LOCALNET), "1");
  t.strictSame(await observeSysctls([ROUTE_LOCALNET, "net/no/such"]), [{ path: ROUTE_LOCALNET, value: "1" }]);
});

t.test("a plan writes settings, and one that is refused ends it", { skip: skipReason() }, async (t) => {
  const { apply } = machine(new FakeIptables().run);
  const good = { kind: "sysctl", path: ROUTE_LOCALNET, value: "0" } as const;
  const bad = { kind: "sysctl", path: "net/no/such", value: "0" } as const;
  const { done, refused } = await apply({ steps: [good, bad, good], kept: [] });
  t.strictSame(done, [good]);
  t.match(refused, { step: bad, error: { refusal: { step: "sysctl", target: "net/no/such", code: "ENOENT" } } });
});

t.test("a fault of ours is thrown, not taken for a refusal", async (t) => {
  const { apply } = machine(() => Promise.reject(new TypeError("a bug")));
  await t.rejects(apply({ steps: [{ kind: "iptables", family: "IPv4", changes: [] }], kept: [] }), TypeError);
});
