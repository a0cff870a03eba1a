import t from "tap";
import type { ApiEndpoint, Service, ServiceRecord } from "../../src/api/objects.ts";
import {
  allDestinations,
  bothTraffics,
  endpointsAt,
  isDifferentTraffic,
  NO_UDP_TRAFFIC,
  nodePortAddressTest,
  type UdpTraffic,
  udpTrafficOf,
} from "../../src/model/udp-traffic.ts";
import { type KnownWorld, worldOf } from "../../src/model/world.ts";
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

const DNS = { name: "dns", protocol: "UDP", port: 53 } as const;
const GONE = { ready: false, serving: false } as const;

function udp(endpoints: readonly ApiEndpoint[], given: Partial<Service> = {}): ServiceRecord {
  const service = buildService({ ports: [buildPort({ ...DNS, nodePort: 30_053 })], ...given });
  const { namespace, name } = service;
  return buildRecord(service, buildSlice(endpoints, { namespace, name: `${name}-1`, service: name, ports: [DNS] }));
}

function world(records: readonly ServiceRecord[], previous?: KnownWorld): KnownWorld {
  const facts = buildFacts();
  const options = buildOptions();
  const known = previous && { previous };
  return worldOf({ snapshot: buildSnapshot(records), nodeName: "n1", options, facts, family: "IPv4", ...known });
}

function traffic(...records: readonly ServiceRecord[]): UdpTraffic {
  return udpTrafficOf(world(records), NO_UDP_TRAFFIC);
}

/** Destinations and their endpoints as plain text. */
function plain({ destinations }: UdpTraffic): Record<string, readonly string[]> {
  return Object.fromEntries([...destinations].map(([key, { endpoints }]) => [key, [...endpoints]]));
}

const A = buildEndpoint("10.1.0.1");
const B = buildEndpoint("10.1.0.2");

t.test("every address and the nodePort of a UDP port leads to its endpoints", async (t) => {
  const found = traffic(udp([A, B], { externalIPs: ["198.51.100.1"], ingressVIPs: ["203.0.113.1"] }));
  const both = ["10.1.0.1:53", "10.1.0.2:53"];
  t.strictSame(plain(found), {
    "10.0.0.1:53": both,
    "198.51.100.1:53": both,
    "203.0.113.1:53": both,
    ":30053": both,
  });
});

t.test("other protocols are nobody's business, on the same port neither", async (t) => {
  const tcp = buildRecord(buildService(), buildSlice([A]));
  t.strictSame(plain(traffic(tcp)), {});
  const ports = [buildPort(DNS), buildPort({ ...DNS, name: "dns-tcp", protocol: "TCP" })];
  const mixed = buildRecord(
    buildService({ ports }),
    buildSlice([A], { ports: [DNS] }),
    buildSlice([B], { name: "s-2", ports: [{ name: "dns-tcp", protocol: "TCP", port: 53 }] }),
  );
  t.strictSame(plain(traffic(mixed)), { "10.0.0.1:53": ["10.1.0.1:53"] });
});

for (const { name, endpoints, right } of [
  { name: "a serving endpoint", endpoints: [A], right: ["10.1.0.1:53"] },
  {
    name: "one that drains",
    endpoints: [A, buildEndpoint("10.1.0.2", { ready: false, terminating: true })],
    right: ["10.1.0.1:53", "10.1.0.2:53"],
  },
  {
    name: "one that serves and is not ready",
    endpoints: [buildEndpoint("10.1.0.2", { ready: false })],
    right: ["10.1.0.2:53"],
  },
  {
    name: "one that is ready and does not serve, for new flows go there",
    endpoints: [buildEndpoint("10.1.0.2", { serving: false })],
    right: ["10.1.0.2:53"],
  },
  {
    name: "not one that is gone, where others serve",
    endpoints: [A, buildEndpoint("10.1.0.2", GONE)],
    right: ["10.1.0.1:53"],
  },
  {
    name: "one that is only listed, where nothing better is",
    endpoints: [buildEndpoint("10.1.0.2", GONE)],
    right: ["10.1.0.2:53"],
  },
  { name: "nobody, where nobody is listed", endpoints: [], right: [] },
]) {
  t.test(`flows may go to ${name}`, async (t) => {
    t.strictSame(plain(traffic(udp(endpoints)))["10.0.0.1:53"], right);
  });
}

t.test("what two Services claim leads to the endpoints of both", async (t) => {
  const shared = { externalIPs: ["198.51.100.1"] };
  const found = traffic(
    udp([A], shared),
    udp([B], { ...shared, name: "other", clusterIP: "10.0.0.2", ports: [buildPort(DNS)] }),
  );
  t.strictSame(plain(found)["198.51.100.1:53"], ["10.1.0.1:53", "10.1.0.2:53"]);
  t.strictSame(plain(found)["10.0.0.2:53"], ["10.1.0.2:53"]);
});

t.test("where no UDP Service is another object, the traffic is the same object", async (t) => {
  const [dns, web] = [udp([A]), buildRecord(buildService({ name: "web", clusterIP: "10.0.0.9" }), buildSlice([A]))];
  const first = world([dns]);
  const found = udpTrafficOf(first, NO_UDP_TRAFFIC);
  const second = world([dns, web], first);
  t.not(second, first);
  t.equal(udpTrafficOf(second, found), found);
  t.not(udpTrafficOf(world([udp([B]), web], second), found), found);
});

const LEFT = { ...buildEndpoint("10.1.0.1"), nodeName: "n2" };

for (const { name, before, now, different } of [
  { name: "nothing changed", before: [udp([A])], now: [udp([A])], different: false },
  { name: "an endpoint moved to another node", before: [udp([A])], now: [udp([LEFT])], different: false },
  { name: "an endpoint was added", before: [udp([A])], now: [udp([A, B])], different: true },
  { name: "an endpoint was removed", before: [udp([A, B])], now: [udp([A])], different: true },
  { name: "an endpoint was replaced", before: [udp([A])], now: [udp([B])], different: true },
  { name: "the last endpoint was removed", before: [udp([A])], now: [udp([])], different: true },
  { name: "the last one stopped serving", before: [udp([A])], now: [udp([{ ...A, ...GONE }])], different: false },
  { name: "the first endpoint was added", before: [udp([])], now: [udp([A])], different: true },
  { name: "there is still no endpoint", before: [udp([])], now: [udp([])], different: false },
  { name: "a Service was added", before: [], now: [udp([])], different: true },
  { name: "a Service was removed", before: [udp([A])], now: [], different: true },
  {
    name: "an external IP was added",
    before: [udp([A])],
    now: [udp([A], { externalIPs: ["198.51.100.1"] })],
    different: true,
  },
  {
    name: "the cluster IP changed",
    before: [udp([A])],
    now: [udp([A], { clusterIP: "10.0.0.2" })],
    different: true,
  },
]) {
  t.test(`${name}: the traffic is ${different ? "different" : "the same"}`, async (t) => {
    t.equal(isDifferentTraffic(traffic(...now), traffic(...before)), different);
  });
}

t.test("the same object is not different", async (t) => {
  const same = traffic(udp([A]));
  t.equal(isDifferentTraffic(same, same), false);
});

t.test("all destinations are those of both, each once, as they are now", async (t) => {
  const now = traffic(udp([B], { ports: [buildPort({ ...DNS, nodePort: 30_054 })] }));
  t.strictSame(
    allDestinations(now, traffic(udp([A]))).map(({ address = "", port, endpoints }) => [
      `${address}:${port}`,
      ...endpoints,
    ]),
    [
      ["10.0.0.1:53", "10.1.0.2:53"],
      [":30053", "10.1.0.1:53"],
      [":30054", "10.1.0.2:53"],
    ],
  );
});

t.test("what was applied at two times is the endpoints of both", async (t) => {
  const other = udp([B], { name: "other", clusterIP: "10.0.0.2", ports: [buildPort(DNS)] });
  t.strictSame(plain(bothTraffics(traffic(udp([A])), traffic(udp([B]), other))), {
    "10.0.0.1:53": ["10.1.0.2:53", "10.1.0.1:53"],
    ":30053": ["10.1.0.2:53", "10.1.0.1:53"],
    "10.0.0.2:53": ["10.1.0.2:53"],
  });
});

t.test("a nodePort counts at the node's addresses only", async (t) => {
  const found = traffic(udp([A], { externalIPs: ["192.0.2.10"] }));
  const isNodePortAddress = (address: string) => address.startsWith("192.0.2.");
  const ask = (address: string, port: number) => {
    const right = endpointsAt(found, { address, port }, isNodePortAddress);
    return right && [...right];
  };
  t.strictSame(ask("10.0.0.1", 53), ["10.1.0.1:53"]);
  t.strictSame(ask("192.0.2.10", 30_053), ["10.1.0.1:53"]);
  t.equal(ask("198.18.0.9", 30_053), undefined, "another machine's");
  t.equal(ask("10.0.0.1", 54), undefined);
});

t.test("where a nodePort is also somebody's external port, both are right", async (t) => {
  const outside = udp([B], {
    name: "x",
    clusterIP: "10.0.0.2",
    externalIPs: ["192.0.2.10"],
    ports: [buildPort({ ...DNS, port: 30_053 })],
  });
  const found = traffic(udp([A]), outside);
  const right = endpointsAt(found, { address: "192.0.2.10", port: 30_053 }, () => true);
  t.strictSame([...(right ?? [])].sort(), ["10.1.0.1:53", "10.1.0.2:53"]);
  const same = traffic(
    udp([A], { externalIPs: ["192.0.2.10"], ports: [buildPort({ ...DNS, port: 30_053, nodePort: 30_053 })] }),
  );
  t.strictSame([...(endpointsAt(same, { address: "192.0.2.10", port: 30_053 }, () => true) ?? [])], ["10.1.0.1:53"]);
});

t.test("which of the node's addresses answer on nodePorts", async (t) => {
  const { settings } = world([]);
  const own = [{ address: "192.0.2.10" }, { address: "127.0.0.1" }, { address: "::1" }];
  const all = nodePortAddressTest(
    { nodePortAddresses: "all", settings: { ...settings, localhostNodePorts: true } },
    own,
  );
  const asked = ["192.0.2.10", "127.0.0.9", "192.0.2.7", "::1"];
  t.strictSame(asked.map(all), [true, true, false, false], "all of IPv4, and localhost as a whole");
  const quiet = nodePortAddressTest(
    { nodePortAddresses: "all", settings: { ...settings, localhostNodePorts: false } },
    own,
  );
  t.strictSame(asked.map(quiet), [true, false, false, false]);
  const chosen = nodePortAddressTest({ nodePortAddresses: ["192.0.2.7"], settings }, own);
  t.strictSame(asked.map(chosen), [false, false, true, false]);
});
