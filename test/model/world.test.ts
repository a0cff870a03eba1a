// Is the World right, in order, and the same object wherever nothing changed?
import fc from "fast-check";
import t from "tap";
import type { ServiceRecord, Snapshot } from "../../src/api/objects.ts";
import { type KnownWorld, type WorldInput, worldOf } from "../../src/model/world.ts";
import { pagedList } from "../../src/paged-list.ts";
import { clusters, shuffle } from "../support/arbitrary-clusters.ts";
import {
  buildEndpoint,
  buildFacts,
  buildNode,
  buildOptions,
  buildPort,
  buildRecord,
  buildRecords,
  buildService,
  buildSlice,
  buildSnapshot,
} from "../support/build.ts";

t.test("Services are sorted by namespace, name, port name and protocol", async (t) => {
  const names = ["b/a", "a-b/a", "a/c", "a/b"].map((key) => key.split("/"));
  const records = names.map(([namespace = "", name = ""]) => {
    return buildRecord(buildService({ namespace, name, ports: [buildPort(), buildPort({ name: "dns" })] }));
  });
  t.strictSame(texts(build(buildSnapshot(records))), [
    "a/b:dns",
    "a/b:http",
    "a/c:dns",
    "a/c:http",
    "a-b/a:dns",
    "a-b/a:http",
    "b/a:dns",
    "b/a:http",
  ]);
});

t.test("a Service of the other family is known and gives no traffic", async (t) => {
  const world = build(buildSnapshot([buildRecord(buildService({ clusterIP: "fd00::1" }))]));
  t.strictSame([...world.services], []);
  t.strictSame(
    [...world.known].map(({ record }) => record.service.name),
    ["s"],
  );
});

t.test("the Node says zone, addresses and pod ranges", async (t) => {
  const endpoints = [
    buildEndpoint("10.1.0.1", { zoneHints: ["z1"] }),
    buildEndpoint("10.1.0.2", { zoneHints: ["z2"] }),
  ];
  const snapshot = buildSnapshot([buildRecord(buildService(), buildSlice(endpoints))]);
  const options = buildOptions({ detectLocalMode: "NodeCIDR" });
  const here = build(snapshot, { options });
  t.strictSame(addresses(here), ["10.1.0.1"]);
  t.equal(here.settings.nodeIP, "192.0.2.10");
  t.strictSame(here.settings.localTraffic, { kind: "cidr", cidr: "10.244.0.0/24" });
  const unknown = build(snapshot, { options, nodeName: "n2" });
  t.strictSame(addresses(unknown), ["10.1.0.1", "10.1.0.2"]);
  t.equal(unknown.settings.nodeIP, "127.0.0.1");
  t.equal(unknown.settings.localTraffic, undefined);
});

t.test("a Node kept from the start goes before the snapshot's", async (t) => {
  const node = buildNode({ zone: "z9", addresses: ["192.0.2.99"] });
  const world = build(buildSnapshot([]), { node });
  t.equal(world.settings.nodeIP, "192.0.2.99");
  t.equal(world.viewpoint.zone, "z9");
});

t.test("comments of endpoint rules end above 1000 known endpoints, counted for each ServicePort", async (t) => {
  const world = (count: number) => {
    const endpoints = Array.from({ length: count }, (_, at) =>
      buildEndpoint(`10.1.${at >> 8}.${at & 255}`, { ready: false }),
    );
    const ports = ["http", "tls"].map((name) => ({ name, protocol: "TCP" as const, port: 8080 }));
    const service = buildService({ ports: [buildPort({ name: "http" }), buildPort({ name: "tls" })] });
    return build(buildSnapshot([buildRecord(service, buildSlice(endpoints, { ports }))]));
  };
  t.equal(world(500).settings.endpointComments, true);
  t.equal(world(501).settings.endpointComments, false);
});

t.test("nothing came anew: the World is the one we had", async (t) => {
  const snapshot = cluster(5);
  const previous = build(snapshot);
  t.equal(build(snapshot, { previous }), previous);
  t.equal(build({ ...snapshot, services: pagedList(snapshot.services) }, { previous }), previous, "on other pages");
});

t.test("objects that came anew and mean the same change neither Services nor settings", async (t) => {
  const previous = build(cluster(5));
  const world = build(cluster(5), { previous, options: buildOptions(), facts: buildFacts() });
  t.equal(world.services, previous.services);
  t.equal(world.settings, previous.settings);
});

t.test("one record of 10000 changes: one is read, one differs", async (t) => {
  const reads: string[] = [];
  const watched = cluster(10_000, (record) => watch(record, reads));
  const previous = build(watched);
  t.equal(reads.length, 10_000, "all are read for the first World");
  reads.length = 0;
  const changed = recordOf(4711, "10.2.0.9");
  const services = buildRecords([...watched.services, watch(changed, reads)]);
  const world = build({ ...watched, services }, { previous });
  t.strictSame(reads, ["s-4711"]);
  t.equal(world.settings, previous.settings);
  t.equal(world.nodePortAddresses, previous.nodePortAddresses);
  t.equal(world.services.length, 10_000);
  t.equal(countDifferent(world, previous), 1);
});

t.test("a Service that is added or removed leaves the others alone, and the order right", async (t) => {
  const all = cluster(50);
  const previous = build(all);
  const services = buildRecords([...all.services].filter(({ service }) => service.name !== "s-7"));
  const fewer = build({ ...all, services }, { previous });
  t.strictSame(
    [...fewer.services],
    [...previous.services].filter(({ servicePort }) => servicePort.name.name !== "s-7"),
  );
  const more = build(all, { previous: fewer });
  t.strictSame(texts(more), texts(previous));
  t.equal([...more.services].filter((traffic) => ![...fewer.services].includes(traffic)).length, 1);
});

t.test("another zone recomputes only what hints decide", async (t) => {
  const hinted = [buildEndpoint("10.1.0.1", { zoneHints: ["z1"] }), buildEndpoint("10.1.0.2", { zoneHints: ["z2"] })];
  const records = [
    buildRecord(buildService({ name: "hinted" }), buildSlice(hinted)),
    buildRecord(buildService({ name: "plain" }), buildSlice([buildEndpoint("10.1.0.3")])),
  ];
  const previous = build(buildSnapshot(records));
  const world = build(buildSnapshot(records, [buildNode({ zone: "z2" })]), { previous });
  t.equal(countDifferent(world, previous), 1);
  t.strictSame(addresses(world), ["10.1.0.2", "10.1.0.3"]);
});

t.test("an address of the node matters to IPVS mode alone", async (t) => {
  const more = buildFacts({ addresses: [...buildFacts().addresses, { interface: "eth1", address: "198.18.0.7" }] });
  const previous = build(cluster(5));
  t.equal(build(cluster(5), { previous, facts: more }).settings, previous.settings);
  t.equal(build(cluster(5), { previous, facts: more }).nodePortAddresses, "all");
  const options = buildOptions({ mode: "ipvs" });
  const ipvs = build(cluster(5), { options });
  const next = build(cluster(5), { options, previous: ipvs, facts: more });
  t.strictSame(next.nodePortAddresses, ["192.0.2.10", "198.18.0.7"]);
  t.equal(next.services, ipvs.services, "what Services mean does not depend on it");
});

t.test("an address on the interface of IPVS mode itself leaves all as it is", async (t) => {
  const options = buildOptions({ mode: "ipvs" });
  const previous = build(cluster(5), { options });
  const bound = [...buildFacts().addresses, { interface: "kube-ipvs0", address: "10.0.0.1" }];
  t.equal(
    build(cluster(5), { options, previous, facts: buildFacts({ addresses: bound }) }).settings,
    previous.settings,
  );
});

t.test("another mode works everything out anew, though no object is", async (t) => {
  const snapshot = buildSnapshot([
    buildRecord(buildService(), buildSlice([buildEndpoint("10.1.0.1", { nodeName: "n1" })])),
  ]);
  const previous = build(snapshot);
  const [traffic] = build(snapshot, { previous, options: buildOptions({ mode: "ipvs" }) }).services;
  t.equal(traffic?.onNode?.length, 1);
});

t.test("the gate for external IPs reaches every Service", async (t) => {
  const snapshot = buildSnapshot([buildRecord(buildService({ externalIPs: ["1.2.3.4"] }))]);
  const previous = build(snapshot);
  const world = build(snapshot, { previous, options: buildOptions({ allowServiceExternalIPs: false }) });
  t.strictSame([...world.services][0]?.servicePort.externalIPs, []);
});

t.test("node addresses come and go", async (t) => {
  const limited = buildOptions({ nodePortAddresses: ["192.0.2.0/24"] });
  const snapshot = cluster(2);
  const all = build(snapshot);
  const one = build(snapshot, { previous: all, options: limited });
  t.strictSame(one.nodePortAddresses, ["192.0.2.10"]);
  t.equal(build(snapshot, { previous: one, options: limited, facts: buildFacts() }), one);
  const none = build(snapshot, { previous: one, options: limited, facts: buildFacts({ addresses: [] }) });
  t.strictSame(none.nodePortAddresses, []);
  t.equal(none.services, one.services);
  t.equal(build(snapshot, { previous: one }).nodePortAddresses, "all");
});

t.test("a World depends on what there is, not on its order nor on the World before", async (t) => {
  const seed = Date.now() | 0;
  t.comment(`seed ${seed}`);
  fc.assert(
    fc.property(
      clusters,
      clusters,
      fc.infiniteStream(fc.nat()),
      fc.constantFrom("IPv4", "IPv6"),
      (a, b, noise, family) => {
        const scratch = build(b, { family });
        const next = build(shuffle(b, noise), { family, previous: build(a, { family }) });
        const again = build(structuredClone(b), { family, previous: scratch });
        return t.strictSame(plain(next), plain(scratch)) && t.equal(again.services, scratch.services);
      },
    ),
    { seed, numRuns: 200 },
  );
});

function build(snapshot: Snapshot, given: Partial<WorldInput> = {}): KnownWorld {
  return worldOf({ snapshot, nodeName: "n1", family: "IPv4", options: buildOptions(), facts: buildFacts(), ...given });
}

function recordOf(at: number, address = "10.1.0.1"): ServiceRecord {
  const name = `s-${at}`;
  return buildRecord(buildService({ name }), buildSlice([buildEndpoint(address)], { service: name }));
}

function cluster(size: number, change: (record: ServiceRecord) => ServiceRecord = (record) => record): Snapshot {
  return buildSnapshot(Array.from({ length: size }, (_, at) => change(recordOf(at))));
}

/** The same record; notes its Service's name whenever somebody looks at its slices. */
function watch({ service, slices: own }: ServiceRecord, reads: string[]): ServiceRecord {
  return {
    service,
    get slices() {
      reads.push(service.name);
      return own;
    },
  };
}

/** Traffics that are not the very objects of the World before. */
function countDifferent(world: KnownWorld, previous: KnownWorld): number {
  const before = new Set(previous.services);
  return [...world.services].filter((traffic) => !before.has(traffic)).length;
}

/** What backends see, and the endpoints behind it. */
function plain({ settings, nodePortAddresses, services: traffics, known }: KnownWorld): unknown {
  const endpoints = [...known].map(({ record, ports }) => [record.service.name, ports.map((port) => port.endpoints)]);
  return { settings, nodePortAddresses, traffics: [...traffics], endpoints };
}

function texts(world: KnownWorld): readonly string[] {
  return [...world.services].map(({ servicePort }) => servicePort.text);
}

function addresses(world: KnownWorld): readonly string[] {
  return [...world.services].flatMap(({ reachable }) => reachable.map(({ ip }) => ip));
}
