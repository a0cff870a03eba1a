// Tests which UDP conntrack entries are deleted after a sync, and when they are listed at all.
import t from "tap";
import type { ApiEndpoint, Service, ServiceRecord } from "../../src/api/objects.ts";
import { type KnownWorld, worldOf } from "../../src/model/world.ts";
import { FlowRound } from "../../src/sync/flow-round.ts";
import { createLog } from "../../src/sync/log.ts";
import { Verbosity } from "../../src/sync/verbosity.ts";
import {
  buildEndpoint,
  buildFacts,
  buildOptions,
  buildPort,
  buildRecord,
  buildService,
  buildSlice,
  buildSnapshot,
} from "../support/build.ts";
import { buildFlow } from "../support/build-flow.ts";
import { HandClock } from "../support/clock.ts";
import { FlowTable } from "../support/flow-table.ts";

const DNS = { name: "dns", protocol: "UDP", port: 53 } as const;
const A = buildEndpoint("10.1.0.1");
const B = buildEndpoint("10.1.0.9");
const VIP = "10.0.0.1:53";

/** The UDP Service 10.0.0.1:53 with node port 30053. */
function dns(endpoints: readonly ApiEndpoint[], given: Partial<Service> = {}): ServiceRecord {
  const service = buildService({ ports: [buildPort({ ...DNS, nodePort: 30_053 })], ...given });
  const { name } = service;
  return buildRecord(service, buildSlice(endpoints, { name: `${name}-1`, service: name, ports: [DNS] }));
}

function setUp(...flows: readonly { readonly to: string; readonly by: string }[]) {
  const verbosity = new Verbosity(6);
  const table = new FlowTable(...flows.map(buildFlow));
  const clock = new HandClock();
  const lines: string[] = [];
  const log = createLog("text", (line) => lines.push(line), { verbosity });
  const round = new FlowRound({ family: "IPv4", kernel: table, clock, log: log("flow-round.ts") });
  const { addresses } = buildFacts();
  let previous: KnownWorld | undefined;
  const world = (...records: readonly ServiceRecord[]): KnownWorld => {
    const known = previous && { previous };
    const [snapshot, options, facts] = [buildSnapshot(records), buildOptions(), buildFacts()];
    previous = worldOf({ snapshot, nodeName: "n1", options, facts, family: "IPv4", ...known });
    return previous;
  };
  const apply = (...records: readonly ServiceRecord[]) => round.run({ world: world(...records), addresses });
  const restore = (...records: readonly ServiceRecord[]) => round.run({ world: world(...records), addresses }, true);
  return { table, round, lines, verbosity, world, apply, restore };
}

for (const { number, name, serving, to, by, deleted } of [
  { number: 61, name: "to an endpoint", serving: [A], to: VIP, by: "10.1.0.1:53", deleted: false },
  { number: 62, name: "to what is no endpoint", serving: [A], to: VIP, by: "10.1.0.9:53", deleted: true },
  { number: 63, name: "never translated", serving: [A], to: VIP, by: VIP, deleted: true },
  // The reference leaves it, and the client never learns that nobody answers; see 64b.
  {
    number: 64,
    name: "to a gone endpoint of a Service without any",
    serving: [],
    to: VIP,
    by: "10.1.0.9:53",
    deleted: true,
  },
  {
    number: "64b",
    name: "to an endpoint that is listed but does not serve",
    serving: [{ ...B, ready: false, serving: false }],
    to: VIP,
    by: "10.1.0.9:53",
    deleted: false,
  },
  {
    number: 65,
    name: "to a nodePort and what is no endpoint",
    serving: [A],
    to: "192.0.2.10:30053",
    by: "10.1.0.9:53",
    deleted: true,
  },
  {
    number: "65b",
    name: "to the same port of another machine",
    serving: [A],
    to: "192.0.2.7:30053",
    by: "10.1.0.9:53",
    deleted: false,
  },
  {
    number: 67,
    name: "to an endpoint that drains",
    serving: [{ ...A, ready: false, terminating: true }],
    to: VIP,
    by: "10.1.0.1:53",
    deleted: false,
  },
]) {
  t.test(`${number}. a flow ${name} ${deleted ? "goes" : "stays"}`, async (t) => {
    const { table, apply } = setUp({ to, by });
    t.strictSame(await apply(dns(serving)), { elapsed: 0, deleted: deleted ? 1 : 0 });
    t.strictSame(table.left, deleted ? [] : [`${to} by ${by}`]);
  });
}

t.test("without UDP Services nothing is looked at, ever", async (t) => {
  const { table, apply } = setUp({ to: VIP, by: "10.1.0.9:53" });
  t.equal(await apply(), undefined);
  t.equal(await apply(buildRecord(buildService(), buildSlice([A]))), undefined);
  t.strictSame(table.looks, []);
});

t.test("up to eight destinations are listed one by one, more in one dump", async (t) => {
  const { table, apply } = setUp();
  await apply(dns([A]));
  const more = [1, 2, 3, 4, 5, 6].map((at) =>
    dns([A], { name: `t${at}`, clusterIP: `10.0.1.${at}`, ports: [buildPort(DNS)] }),
  );
  await apply(dns([A]), ...more);
  const six = more.map((_, at) => `10.0.1.${at + 1}:53`).join(" ");
  t.strictSame(table.looks, ["10.0.0.1:53 :30053", `10.0.0.1:53 :30053 ${six}`]);
  await apply(dns([A]), ...more, dns([B], { name: "u", clusterIP: "10.0.2.1" }));
  t.strictSame(table.looks.at(-1), "all");
});

t.test("nothing is listed again where no UDP destination and none of its endpoints changed", async (t) => {
  const { table, apply } = setUp();
  await apply(dns([A]));
  t.equal(await apply(dns([A])), undefined);
  t.equal(await apply(dns([A]), buildRecord(buildService({ name: "web", clusterIP: "10.0.0.9" }))), undefined);
  t.equal(table.looks.length, 1);
  t.type(await apply(dns([A, B])), "object");
});

t.test("a change of one UDP Service has the entries of all checked", async (t) => {
  const { table, apply } = setUp();
  const log = dns([A], { name: "log", clusterIP: "10.0.0.2", ports: [buildPort(DNS)] });
  await apply(dns([A]), log);
  table.add(buildFlow({ to: "10.0.0.2:53", by: "10.1.0.77:53" }), buildFlow({ to: VIP, by: "10.1.0.1:53" }));
  t.match(await apply(dns([A, B]), log), { deleted: 1 });
  t.strictSame(table.left, [`${VIP} by 10.1.0.1:53`]);
});

t.test("entries made while rules were missing are deleted once the rules are restored", async (t) => {
  const { table, apply, restore } = setUp();
  await apply(dns([A]));
  table.add(buildFlow({ to: VIP, by: VIP }), buildFlow({ to: VIP, by: "10.1.0.1:53" }));
  t.equal(await apply(dns([A])), undefined, "without a restored rule nothing is listed");
  table.fault = "reading";
  t.equal(await restore(dns([A])), undefined);
  table.fault = "none";
  t.match(await apply(dns([A])), { deleted: 1 }, "a failed check is repeated after the next sync");
  t.strictSame(table.left, [`${VIP} by 10.1.0.1:53`]);
  t.equal(await apply(dns([A])), undefined);
});

t.test("an entry of an endpoint that was added and removed again is deleted", async (t) => {
  const { table, apply } = setUp();
  await apply(dns([A]));
  await apply(dns([A, B]));
  table.add(buildFlow({ to: VIP, by: "10.1.0.9:53" }), buildFlow({ to: VIP, by: "10.1.0.1:53" }));
  await apply(dns([A]));
  t.strictSame(table.left, [`${VIP} by 10.1.0.1:53`]);
});

t.test("a deleted Service takes the flows along that it translated, and no others", async (t) => {
  const { table, apply } = setUp();
  await apply(dns([A]));
  table.add(
    buildFlow({ to: VIP, by: "10.1.0.1:53" }),
    buildFlow({ to: "192.0.2.10:30053", by: "10.1.0.1:53" }),
    buildFlow({ to: "192.0.2.10:30053", by: "172.17.0.2:53" }),
    buildFlow({ to: VIP, by: VIP }),
  );
  t.match(await apply(), { deleted: 2 });
  t.strictSame(table.left, ["192.0.2.10:30053 by 172.17.0.2:53", `${VIP} by ${VIP}`]);
});

for (const [name, after, to] of [
  ["a nodePort", { ports: [buildPort({ ...DNS, nodePort: 30_054 })] }, "192.0.2.10:30054"],
  ["an external IP", { externalIPs: ["198.51.100.1"] }, "198.51.100.1:53"],
  ["a cluster IP", { clusterIP: "10.0.0.2" }, "10.0.0.2:53"],
] as const) {
  t.test(`${name} that is new frees the clients that tried it before`, async (t) => {
    const { table, apply } = setUp();
    await apply(dns([A]));
    table.add(buildFlow({ to, by: to }));
    t.match(await apply(dns([A], after)), { deleted: 1 });
  });
}

for (const fault of ["reading", "disturbed", "deleting"] as const) {
  t.test(`after a fault in ${fault} all is looked at again after the next pass, though nothing changed`, async (t) => {
    const { table, apply } = setUp({ to: VIP, by: "10.1.0.9:53" });
    table.fault = fault;
    t.equal(await apply(dns([A])), undefined);
    t.equal(await apply(dns([A])), undefined);
    table.fault = "none";
    const report = await apply(dns([A]));
    t.strictSame(table.left, []);
    t.match(report, { deleted: fault === "disturbed" ? 0 : 1 });
    t.equal(table.looks.length, 3);
    t.equal(await apply(dns([A])), undefined, "and then never again");
  });
}

t.test("what was applied while flows could not be looked at is not forgotten", async (t) => {
  const { table, apply } = setUp();
  await apply(dns([A]));
  table.fault = "reading";
  await apply(dns([B]));
  table.fault = "none";
  table.add(buildFlow({ to: VIP, by: "10.1.0.1:53" }), buildFlow({ to: VIP, by: "10.1.0.9:53" }));
  t.match(await apply(), { deleted: 2 }, "of a Service deleted since, flows to its endpoints of both times");
});

t.test("a fault of ours is thrown, not taken for a refusal", async (t) => {
  const { table, apply } = setUp();
  table.fault = "bug";
  await t.rejects(apply(dns([A])), TypeError);
});

t.test("whether a round is needed can be asked before", async (t) => {
  const { round, world, apply } = setUp();
  t.equal(round.isNeeded(world()), false);
  t.equal(round.isNeeded(world(dns([A]))), true);
  await apply(dns([A]));
  t.equal(round.isNeeded(world(dns([A]))), false);
  const quiet = { ...A, ready: false, serving: true };
  await apply(dns([quiet, B]));
  t.equal(round.isNeeded(world(dns([{ ...quiet, serving: false }, B]))), true, "though no rule changes");
});

t.test("what is said", async (t) => {
  const { table, lines, verbosity, apply } = setUp({ to: VIP, by: "10.1.0.9:53" });
  await apply(dns([A]));
  t.match(
    lines.join(""),
    /"Deleted stale UDP conntrack entry" ipFamily="IPv4" client="10\.244\.0\.5:\d+" destination="10\.0\.0\.1:53" server="10\.1\.0\.9:53"/,
  );
  table.add(buildFlow({ to: VIP, by: "10.1.0.1:53" }));
  verbosity.set(5);
  t.match(await apply(dns([B])), { deleted: 1 });
  t.equal(lines.length, 1, "single flows only to who asks for them");
  table.fault = "reading";
  await apply(dns([A]));
  t.match(
    lines.at(-1),
    /"Cannot delete stale UDP conntrack entries; retrying after the next sync" ipFamily="IPv4" code="ENOMEM"/,
  );
});
