// What does the daemon do for one family in IPVS mode, from start to stop?
import t from "tap";
import { machine } from "../../src/kernel/kernel.ts";
import { LOOK_AGAIN } from "../../src/sync/draining.ts";
import { FamilyLoop } from "../../src/sync/family-loop.ts";
import { createLog } from "../../src/sync/log.ts";
import {
  buildEndpoint,
  buildFacts,
  buildOptions,
  buildRecord,
  buildService,
  buildSlice,
  buildSnapshot,
} from "../support/build.ts";
import { HandClock, settle } from "../support/clock.ts";
import { FakeIptables } from "../support/fake-iptables.ts";
import { IpvsMemory } from "../support/ipvs-memory.ts";
import { SETTLED_IPVS_BACKEND } from "../support/kept-kernel.ts";
import { Observed } from "../support/observed.ts";

const HOUR = 3_600_000;

function setUp(syncPeriod = HOUR) {
  const [tools, memory, clock, observer] = [new FakeIptables(), new IpvsMemory(), new HandClock(), new Observed()];
  const lines: string[] = [];
  const { addresses } = buildFacts();
  const loop = new FamilyLoop({
    family: "IPv4",
    nodeName: "n1",
    options: { ...buildOptions({ mode: "ipvs" }), syncPeriod, minSyncPeriod: 0 },
    facts: { ...buildFacts(), iptablesVariant: "nft", cpus: 1, families: ["IPv4"] },
    backend: SETTLED_IPVS_BACKEND,
    kernel: { ...machine(tools.run, memory), moved: async () => false, addresses: async () => addresses },
    clock,
    log: createLog("text", (line) => lines.push(line)),
    observer,
    since: 0,
  });
  /** `10.1.0.1 weight 1`, behind the cluster IP. */
  const reals = async () => {
    const { servers } = await memory.look("IPv4", []);
    const behind = servers.find(({ address }) => address === "10.0.0.1");
    return behind?.realServers.map(({ address, weight }) => `${address} weight ${weight}`);
  };
  const passes = () => observer.calls.splice(0).filter((call) => call === "passed IPv4").length;
  return { tools, memory, clock, observer, lines, loop, reals, passes };
}

const snapshotOf = (addresses: readonly string[], externalIPs: readonly string[] = []) =>
  buildSnapshot([
    buildRecord(buildService({ externalIPs }), buildSlice(addresses.map((address) => buildEndpoint(address)))),
  ]);

t.test("the first snapshot is written at once, an endpoint more costs one message", async (t) => {
  const { tools, memory, clock, loop, lines, reals } = setUp();
  loop.update(snapshotOf(["10.1.0.1"]));
  await clock.advance(0);
  t.strictSame(await reals(), ["10.1.0.1 weight 1"]);
  t.match(lines, [/"SyncProxyRules complete" ipFamily="IPv4" mode="ipvs" elapsed="\d+ms" steps=6/]);
  const called = tools.log.length;
  memory.journal.changes.length = 0;
  loop.update(snapshotOf(["10.1.0.1", "10.1.0.2"]));
  await clock.advance(0);
  t.strictSame(memory.journal.changes, ["add-real 10.0.0.1:80/TCP to 10.1.0.2:8080 weight 1"]);
  t.equal(tools.log.length, called, "and no process");
});

t.test("what drains is looked at each minute, however long nothing else happens, until it is gone", async (t) => {
  const { memory, clock, loop, reals, passes } = setUp();
  loop.update(snapshotOf(["10.1.0.1", "10.1.0.2"]));
  await clock.advance(0);
  memory.connect("10.1.0.2", 8080, 1);
  loop.update(snapshotOf(["10.1.0.1"]));
  await clock.advance(0);
  t.strictSame(await reals(), ["10.1.0.1 weight 1", "10.1.0.2 weight 0"]);
  passes();
  await clock.advance(LOOK_AGAIN - 1);
  t.equal(passes(), 0);
  await clock.advance(1);
  t.equal(passes(), 1);
  memory.connect("10.1.0.2", 8080, 0);
  await clock.advance(LOOK_AGAIN);
  t.equal(passes(), 1);
  t.strictSame(await reals(), ["10.1.0.1 weight 1"]);
  await clock.advance(10 * LOOK_AGAIN);
  t.equal(passes(), 0, "then there is nothing to look at");
});

t.test("changes meanwhile do not put the look off", async (t) => {
  const { memory, clock, loop, reals } = setUp();
  loop.update(snapshotOf(["10.1.0.1", "10.1.0.2"]));
  await clock.advance(0);
  memory.connect("10.1.0.2", 8080, 1);
  loop.update(snapshotOf(["10.1.0.1"]));
  await clock.advance(LOOK_AGAIN - 1_000);
  memory.connect("10.1.0.2", 8080, 0);
  loop.update(snapshotOf(["10.1.0.1", "10.1.0.3"]));
  await clock.advance(1_000);
  t.strictSame(await reals(), ["10.1.0.1 weight 1", "10.1.0.3 weight 1"]);
});

t.test("an ended loop looks at nothing more", async (t) => {
  const { memory, clock, loop, passes } = setUp();
  loop.update(snapshotOf(["10.1.0.1", "10.1.0.2"]));
  await clock.advance(0);
  memory.connect("10.1.0.2", 8080, 1);
  loop.update(snapshotOf(["10.1.0.1"]));
  await clock.advance(0);
  passes();
  await loop.stop();
  t.equal(clock.next(), undefined);
  await clock.advance(2 * HOUR);
  t.equal(passes(), 0);
});

t.test(
  "a kernel that does not answer is asked again after 1 s, 2 s, 4 s and so on, up to each sync period",
  async (t) => {
    const { memory, clock, loop, observer, passes, reals } = setUp(30_000);
    loop.update(snapshotOf(["10.1.0.1", "10.1.0.2"]));
    await clock.advance(0);
    memory.connect("10.1.0.2", 8080, 1);
    loop.update(snapshotOf(["10.1.0.1"]));
    await clock.advance(0);
    passes();
    memory.loses = () => "request";
    await clock.advance(300_000);
    // The verification after 29 s asks for a sync; the retries are 1, 2, 4, 8, 16 and then 30 s apart.
    t.equal(passes(), 14);
    t.match(observer.reports.at(-1), { failure: { step: "route netlink", code: "ETIMEDOUT" }, scope: "full" });
    memory.loses = undefined;
    memory.connect("10.1.0.2", 8080, 0);
    await clock.advance(30_000);
    t.strictSame(await reals(), ["10.1.0.1 weight 1"]);
  },
);

t.test("what the kernel refuses is told with the Service that wants it, and is no failure", async (t) => {
  const { memory, clock, loop, observer, lines } = setUp(30_000);
  memory.journal.refuses = (change) => (change.startsWith("bind 192.0.2.77/") ? 22 : 0);
  loop.update(snapshotOf(["10.1.0.1"], ["192.0.2.77"]));
  await clock.advance(0);
  await settle();
  const [report] = observer.reports.splice(0);
  t.equal(report?.failure, undefined);
  t.match(report?.setAside, [
    { servicePort: "ns/s:http/TCP", reason: "bind address 192.0.2.77: the kernel refuses (EINVAL)" },
  ]);
  t.match(
    lines.filter((line) => line.startsWith("E")),
    [
      /Kernel rejected this item; skipping it and retrying later" ipFamily="IPv4" item="192\.0\.2\.77" servicePort="[^"]+" code="EINVAL"/,
    ],
  );
  memory.journal.refuses = () => 0;
  await clock.advance(60_000);
  t.strictSame(observer.reports.at(-1)?.setAside, []);
  t.ok((await memory.look("IPv4", [])).addresses.includes("192.0.2.77"));
});
