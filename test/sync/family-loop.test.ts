import t from "tap";
import { KernelError } from "../../src/errors.ts";
import type { Kernel } from "../../src/kernel/kernel.ts";
import { machine } from "../../src/kernel/kernel.ts";
import { FamilyLoop } from "../../src/sync/family-loop.ts";
import { createLog } from "../../src/sync/log.ts";
import {
  buildEndpoint,
  buildOptions,
  buildPort,
  buildRecord,
  buildRecords,
  buildService,
  buildSlice,
  buildSnapshot,
} from "../support/build.ts";
import { HandClock, settle } from "../support/clock.ts";
import { FakeIptables } from "../support/fake-iptables.ts";
import { Observed } from "../support/observed.ts";
import { BACKEND } from "../support/templates.ts";

const OPTIONS = { ...buildOptions({ localhostNodePorts: false }), syncPeriod: 30_000, minSyncPeriod: 1000 };
const NO_COUNTERS = { invalidDropped: false, localhostNodePorts: false };

const FACTS = {
  addresses: [],
  iptablesVersion: "1.8.9",
  iptablesVariant: "legacy",
  kernelVersion: "6.1",
  cpus: 1,
  counters: NO_COUNTERS,
  tcpBeLiberal: false,
  families: ["IPv4"],
} as const;

interface Change {
  readonly counters?: typeof NO_COUNTERS;
  readonly kernel?: (kernel: Kernel) => Kernel;
  readonly nodePortAddresses?: readonly string[];
  readonly variant?: "nft" | "legacy";
}

function setUp(change: Change = {}) {
  const tools = new FakeIptables();
  const clock = new HandClock();
  const lines: string[] = [];
  const kernel = machine(tools.run);
  const observer = new Observed();
  const loop = new FamilyLoop({
    family: "IPv4",
    nodeName: "n1",
    options: { ...OPTIONS, nodePortAddresses: change.nodePortAddresses ?? [] },
    facts: { ...FACTS, counters: change.counters ?? NO_COUNTERS, iptablesVariant: change.variant ?? "legacy" },
    backend: BACKEND,
    kernel: change.kernel?.(kernel) ?? kernel,
    clock,
    log: createLog("text", (line) => lines.push(line)),
    observer,
    since: 0,
  });
  return { tools, clock, loop, lines, observer };
}

const snapshotOf = (...addresses: string[]) =>
  buildSnapshot([buildRecord(buildService(), buildSlice(addresses.map((address) => buildEndpoint(address))))]);

t.test("the first snapshot is written at once, the same again starts nothing", async (t) => {
  const { tools, clock, loop, lines } = setUp();
  loop.update(snapshotOf("10.1.0.1"));
  await clock.advance(0);
  t.same(
    tools.log.map(({ program }) => program),
    ["iptables-save", "iptables-restore"],
  );
  t.match(tools.save(), /-j DNAT --to-destination 10\.1\.0\.1:8080/);
  t.match(lines, [/"SyncProxyRules complete" ipFamily="IPv4" mode="iptables" elapsed="\d+ms" steps=1/]);
  loop.update(snapshotOf("10.1.0.1"));
  await clock.advance(5000);
  t.equal(tools.log.length, 2, "no process for a change of nothing");
});

t.test("a change sends the chains that differ and no other", async (t) => {
  const { tools, clock, loop } = setUp();
  loop.update(snapshotOf("10.1.0.1"));
  await clock.advance(2000);
  loop.update(snapshotOf("10.1.0.2"));
  await clock.advance(0);
  const sent = tools.log.at(-1)?.input ?? "";
  t.equal(sent.match(/^:KUBE-SVC-/gm)?.length, 1);
  t.equal(sent.match(/^:KUBE-SEP-/gm)?.length, 2, "the new one, and the old one to be removed");
  t.notMatch(sent, /KUBE-SERVICES/);
  t.notMatch(tools.save(), /10\.1\.0\.1/);
});

for (const variant of ["nft", "legacy"] as const) {
  for (const isBusy of [false, true]) {
    const name = `${variant}${isBusy ? ", under constant changes" : ""}`;
    t.test(`${name}: drift is repaired within the sync period, whenever it happens`, async (t) => {
      let foreign = false;
      const moved = async () => {
        const told = foreign;
        foreign = false;
        return told;
      };
      const kernel = (known: Kernel): Kernel => ({ ...known, moved });
      const { tools, clock, loop, observer } = setUp({ kernel, variant });
      let turn = 0;
      const second = async () => {
        turn++;
        if (turn === 1 || isBusy) loop.update(snapshotOf(`10.1.0.${turn % 200}`));
        await clock.advance(1_000);
      };
      const isRight = () => tools.save().includes("-A PREROUTING ");
      for (const start of [1, 10, 28, 29, 30, 31, 59]) {
        for (let waited = 0; waited < start; waited++) await second();
        const jump = tools.save().match(/(?<=^-A )PREROUTING .*/m)?.[0];
        tools.load(`*nat\n-D ${jump}\nCOMMIT\n`);
        foreign = true;
        t.equal(isRight(), false);
        for (let waited = 0; waited < 30; waited++) await second();
        t.equal(isRight(), true, `${start} s after the repair before`);
      }
      const drifted = observer.reports.filter(({ driftedLines }) => driftedLines > 0);
      t.equal(drifted.length, 7, "each drift is reported once");
      const saves = tools.log.filter(({ program }) => program === "iptables-save").length;
      t.ok(saves <= 1 + 2 * Math.ceil(clock.now() / 28_000), `${saves} saves, of them one for each repair`);
    });
  }
}

t.test("a kernel that is right is read once in a sync period, and nothing is sent", async (t) => {
  const { tools, clock, loop } = setUp();
  loop.update(snapshotOf("10.1.0.1"));
  await clock.advance(0);
  tools.log.length = 0;
  await clock.advance(30_000);
  t.strictSame(
    tools.log.map(({ program }) => program),
    ["iptables-save"],
  );
});

t.test("a change does not wait for an observation", async (t) => {
  let finish = () => {};
  const kernel = (known: Kernel): Kernel => ({
    ...known,
    observeInBackground: async (...asked) => {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return known.observeInBackground(...asked);
    },
  });
  const { tools, clock, loop } = setUp({ kernel });
  loop.update(snapshotOf("10.1.0.1"));
  await clock.advance(29_000);
  tools.log.length = 0;
  loop.update(snapshotOf("10.1.0.2"));
  await clock.advance(0);
  t.strictSame(
    tools.log.map(({ program }) => program),
    ["iptables-restore"],
  );
  await loop.stop();
  finish();
  await settle();
  await clock.advance(60_000);
  t.strictSame(
    tools.log.map(({ program }) => program),
    ["iptables-restore", "iptables-save"],
    "an observation that ends after the stop has no consequence",
  );
});

t.test("UDP conntrack entries are checked when drift was repaired, and not by other verifications", async (t) => {
  const listed: unknown[] = [];
  const kernel = (known: Kernel): Kernel => ({
    ...known,
    flows: async (_, searches) => {
      listed.push(searches);
      return { flows: [], whole: true };
    },
  });
  const { tools, clock, loop } = setUp({ kernel });
  const dns = { name: "dns", protocol: "UDP", port: 53 } as const;
  const slice = buildSlice([buildEndpoint("10.1.0.1")], { ports: [dns] });
  loop.update(buildSnapshot([buildRecord(buildService({ ports: [buildPort(dns)] }), slice)]));
  await clock.advance(0);
  t.match(listed.splice(0), [[{ address: "10.0.0.1", port: 53 }]], "after the first sync");
  await clock.advance(60_000);
  t.strictSame(listed, []);
  tools.load("*nat\n:KUBE-SERVICES - [0:0]\nCOMMIT\n");
  await clock.advance(30_000);
  t.match(listed, [[{ address: "10.0.0.1", port: 53 }]]);
});

t.test("a Service that the kernel refuses is told, set aside and tried again; the others are served", async (t) => {
  const { tools, clock, loop, lines } = setUp();
  tools.refuses = "10.1.0.1";
  const other = buildRecord(
    buildService({ name: "other", clusterIP: "10.0.0.2" }),
    buildSlice([buildEndpoint("10.1.0.9")], { name: "other-1", service: "other" }),
  );
  const poisoned = snapshotOf("10.1.0.1");
  loop.update({ ...poisoned, services: buildRecords([...poisoned.services, other]) });
  await clock.advance(0);
  const said = lines.filter((line) => line.startsWith("E"));
  t.match(said, [
    /quarantined and retried later, it has no rules yet.*ipFamily="IPv4" servicePort="ns\/s:http\/TCP" code="1".*RULE_APPEND failed.*10\.1\.0\.1/s,
  ]);
  t.equal(said.length, 1);
  t.match(tools.save(), /10\.1\.0\.9:8080/);
  t.notMatch(tools.save(), /10\.1\.0\.1:8080/);
  tools.refuses = undefined;
  await clock.advance(30_000);
  t.match(tools.save(), /10\.1\.0\.1:8080/);
});

t.test("without iptables-restore nothing is applied, and it is tried again", async (t) => {
  const { tools, clock, loop, lines } = setUp();
  tools.missing.add("iptables-save").add("iptables");
  loop.update(snapshotOf("10.1.0.1"));
  await clock.advance(0);
  t.match(lines, [/^E.*"Cannot read the kernel's rules; retrying".*command not found/]);
  tools.missing.clear();
  await clock.advance(30_000);
  t.match(tools.save(), /10\.1\.0\.1:8080/);
});

t.test("a stale chain that others use is warned about once", async (t) => {
  const { tools, clock, loop, lines } = setUp();
  tools.load("*nat\n:CNI - [0:0]\n:KUBE-SVC-OLD - [0:0]\n-A CNI -j KUBE-SVC-OLD\nCOMMIT\n");
  loop.update(snapshotOf("10.1.0.1"));
  await clock.advance(90_000);
  t.equal(lines.filter((line) => line.startsWith("W")).length, 1);
  t.match(lines[0], /KUBE-SVC-OLD \(-A CNI -j KUBE-SVC-OLD\)/);
});

t.test("a counter that cannot be made is done without, the other one is used", async (t) => {
  const words = { step: "nfacct", target: "ct_state_invalid_dropped_pkts", code: "EOPNOTSUPP", words: "no" };
  const refusing = (kernel: Kernel): Kernel => ({
    ...kernel,
    observe: (family, look) => kernel.observe(family, { ...look, counters: [] }),
    apply: async (plan) => {
      const step = plan.steps.find((step) => step.kind === "counter" && step.name === words.target);
      if (step)
        return { done: [], refused: { step, error: new KernelError(words) }, sent: new Map(), items: [], draining: [] };
      return kernel.apply({ ...plan, steps: plan.steps.filter(({ kind }) => kind !== "counter") });
    },
  });
  const { tools, clock, loop, lines } = setUp({
    counters: { invalidDropped: true, localhostNodePorts: true },
    kernel: refusing,
  });
  loop.update(snapshotOf("10.1.0.1"));
  await clock.advance(1000);
  t.match(lines[0], /"Kernel rejected a change; .*code="EOPNOTSUPP"/);
  t.match(tools.save(), /-A KUBE-FORWARD -m conntrack --ctstate INVALID -j DROP/);
  t.match(tools.save(), /10\.1\.0\.1:8080/);
});

t.test("an ended loop writes no more", async (t) => {
  const { tools, clock, loop } = setUp();
  loop.update(snapshotOf("10.1.0.1"));
  await loop.stop();
  await clock.advance(60_000);
  t.equal(tools.log.length, 0);
});

t.test("the zone is followed, addresses and pod ranges stay as they were first seen", async (t) => {
  const { tools, clock, loop } = setUp();
  const endpoints = [
    buildEndpoint("10.1.0.1", { zoneHints: ["z1"] }),
    buildEndpoint("10.1.0.2", { zoneHints: ["z2"] }),
  ];
  const snapshot = buildSnapshot([buildRecord(buildService(), buildSlice(endpoints))]);
  const node = [...snapshot.nodes.values()][0];
  loop.update(snapshot);
  await clock.advance(2000);
  t.notMatch(tools.save(), /10\.1\.0\.2/);
  if (node) loop.update({ ...snapshot, nodes: new Map([["n1", { ...node, zone: "z2" }]]) });
  await clock.advance(0);
  t.notMatch(tools.save(), /10\.1\.0\.1/);
  await clock.advance(2000);
  loop.update({ ...snapshot, nodes: new Map() });
  await clock.advance(0);
  t.notMatch(tools.save(), /10\.1\.0\.1/, "a Node that is gone changes nothing");
});

t.test("restricted nodePorts follow the node's addresses", async (t) => {
  let addresses = ["192.0.2.10"];
  const moving = (kernel: Kernel): Kernel => ({
    ...kernel,
    addresses: async () => addresses.map((address) => ({ interface: "eth0", address })),
  });
  const { tools, clock, loop } = setUp({ kernel: moving, nodePortAddresses: ["192.0.2.0/24"] });
  const dispatched = () => tools.save().match(/-A KUBE-SERVICES -d \S+ .* -j KUBE-NODEPORTS/g);
  loop.update(snapshotOf("10.1.0.1"));
  await clock.advance(0);
  t.match(dispatched(), [/192\.0\.2\.10\/32/]);
  addresses = ["192.0.2.11", "198.51.100.1", "192.0.2.9"];
  await clock.advance(30_000);
  t.match(dispatched(), [/192\.0\.2\.11\/32/, /192\.0\.2\.9\/32/]);
  t.equal(dispatched()?.length, 2);
});

t.test("watchers are told of each pass, well or not", async (t) => {
  const { tools, clock, loop, observer } = setUp();
  t.strictSame(observer.calls.splice(0), ["began IPv4"]);
  const slice = buildSlice([buildEndpoint("10.1.0.1")]);
  loop.update(snapshotOf("10.1.0.1"), [{ type: "set", object: slice, triggered: 5_000 }]);
  await clock.advance(0);
  t.strictSame(observer.calls.splice(0), ["queued IPv4", "progressed IPv4 1/1 26", "passed IPv4"]);
  const [first] = observer.reports.splice(0);
  t.match(first, { scope: "full", steps: 1, refusedRestores: 0, driftedLines: 0, triggers: [5_000], setAside: [] });
  t.equal(first?.failure, undefined);
  t.strictSame(first?.sent, { filter: 14, nat: 12 });
  t.strictSame(first?.owned(), { filter: 3, nat: 9 }, "all that was sent but jumps in base chains");
  loop.update(snapshotOf("10.1.0.1"), [{ type: "set", object: slice, triggered: 6_000 }]);
  t.strictSame(observer.calls, [], "nothing derived changed");

  tools.fault = () => "the tool was killed";
  loop.update(snapshotOf("10.1.0.2"), [{ type: "set", object: slice, triggered: 7_000 }]);
  await clock.advance(1_000);
  const [failed] = observer.reports.splice(0);
  t.match(failed, { failure: { step: "iptables", code: "1" }, triggers: [7_000] });
  t.strictSame(failed?.owned(), { filter: 0, nat: 0 }, "nothing is known");
  tools.fault = undefined;
  await clock.advance(30_000);
  t.match(observer.reports.splice(0), [{ triggers: [7_000], scope: "full" }]);
});

t.test("what is set aside is told, and the restores that it took to find it", async (t) => {
  const { tools, clock, loop, observer } = setUp();
  tools.refuses = "10.1.0.66";
  tools.names = "commit";
  const good = buildRecord(buildService({ name: "good" }), buildSlice([buildEndpoint("10.1.0.1")]));
  const bad = buildRecord(buildService({ name: "bad" }), buildSlice([buildEndpoint("10.1.0.66")]));
  loop.update(buildSnapshot([good, bad]));
  await clock.advance(0);
  const [report] = observer.reports;
  t.equal(report?.failure, undefined);
  t.match(report?.setAside, [{ servicePort: /bad/, reason: /RULE_APPEND failed/ }]);
  t.ok((report?.refusedRestores ?? 0) > 1);
});
