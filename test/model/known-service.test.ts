// What is worked out for one Service, and which parts are known again?
import t from "tap";
import type { ServiceRecord } from "../../src/api/objects.ts";
import { type KnownService, knownServiceOf, sameViewpoint, type Viewpoint } from "../../src/model/known-service.ts";
import { buildEndpoint, buildPort, buildRecord, buildService, buildSlice } from "../support/build.ts";

const VIEWPOINT: Viewpoint = { family: "IPv4", nodeName: "n1", zone: "z1", allowServiceExternalIPs: true };

const PORTS = [
  buildPort({ name: "http", port: 80 }),
  buildPort({ name: "dns", port: 53, protocol: "UDP" }),
  buildPort({ name: "dns", port: 53, protocol: "TCP" }),
];
const SLICE_PORTS = [
  { name: "http", protocol: "TCP", port: 8080 },
  { name: "dns", protocol: "UDP", port: 5353 },
] as const;

t.test("each port gets the endpoints of its name and protocol", async (t) => {
  t.strictSame(printPorts(knownServiceOf(record(), VIEWPOINT)), [
    "ns/s:dns TCP:",
    "ns/s:dns UDP: 10.1.0.1:5353 10.1.0.2:5353",
    "ns/s:http TCP: 10.1.0.1:8080 10.1.0.2:8080",
  ]);
});

t.test("unusable endpoints are known, though they get no traffic", async (t) => {
  const [port] = knownServiceOf(single([buildEndpoint("10.1.0.1", { ready: false })]), VIEWPOINT).ports;
  t.equal(port?.endpoints.length, 1);
  t.equal(port?.traffic.known, 1);
  t.strictSame(port?.traffic.reachable, []);
});

t.test("endpoints without a port of the Service are left out", async (t) => {
  const known = knownServiceOf(buildRecord(buildService({ ports: [] }), buildSlice([])), VIEWPOINT);
  t.strictSame(known.ports, []);
});

t.test("59 objects that came anew and mean the same keep everything", async (t) => {
  const before = knownServiceOf(record(), VIEWPOINT);
  const again = record();
  const after = knownServiceOf(again, VIEWPOINT, before);
  t.equal(after.record, again);
  for (const [at, port] of after.ports.entries()) {
    t.equal(port.traffic, before.ports[at]?.traffic);
    t.equal(port.endpoints, before.ports[at]?.endpoints);
  }
});

t.test("60 a slice that comes and goes leaves nothing behind", async (t) => {
  const before = knownServiceOf(buildRecord(buildService()), VIEWPOINT);
  const between = knownServiceOf(single([buildEndpoint("10.1.0.1")]), VIEWPOINT, before);
  const after = knownServiceOf(buildRecord(buildService()), VIEWPOINT, between);
  t.not(between.ports[0]?.traffic, before.ports[0]?.traffic);
  t.strictSame(after.ports, before.ports);
});

t.test("a change of one port leaves the others alone", async (t) => {
  const before = knownServiceOf(record(), VIEWPOINT);
  const ports = PORTS.map((port) => (port.protocol === "UDP" ? { ...port, port: 54 } : port));
  const after = knownServiceOf(record({ ports }), VIEWPOINT, before);
  const kept = after.ports.map((port, at) => port.traffic === before.ports[at]?.traffic);
  t.strictSame(kept, [true, false, true]);
  t.equal(after.ports[1]?.endpoints, before.ports[1]?.endpoints, "its endpoints stay");
});

t.test("a change of endpoints leaves the ServicePort alone", async (t) => {
  const before = knownServiceOf(single([buildEndpoint("10.1.0.1")]), VIEWPOINT);
  const after = knownServiceOf(single([buildEndpoint("10.1.0.2")]), VIEWPOINT, before);
  t.not(after.ports[0]?.traffic, before.ports[0]?.traffic);
  t.equal(after.ports[0]?.traffic.servicePort, before.ports[0]?.traffic.servicePort);
});

t.test("an unusable endpoint that changes is known, and changes no traffic", async (t) => {
  const unready = buildEndpoint("10.1.0.1", { ready: false });
  const before = knownServiceOf(single([unready]), VIEWPOINT);
  const after = knownServiceOf(single([{ ...unready, serving: false }]), VIEWPOINT, before);
  t.equal(after.ports[0]?.traffic, before.ports[0]?.traffic);
  t.equal(after.ports[0]?.endpoints[0]?.serving, false);
});

t.test("ports are added and taken away", async (t) => {
  const before = knownServiceOf(record({ ports: PORTS.slice(0, 1) }), VIEWPOINT);
  const more = knownServiceOf(record(), VIEWPOINT, before);
  t.equal(more.ports.length, 3);
  t.equal(more.ports[2]?.traffic, before.ports[0]?.traffic);
  t.strictSame(printPorts(knownServiceOf(record({ ports: PORTS.slice(0, 1) }), VIEWPOINT, more)), printPorts(before));
});

t.test("every part of the viewpoint counts", async (t) => {
  t.ok(sameViewpoint(VIEWPOINT, { ...VIEWPOINT }));
  const other = [{ family: "IPv6" }, { nodeName: "n2" }, { zone: "" }, { allowServiceExternalIPs: false }] as const;
  const changes = [...other, { ipvs: true }] as const;
  for (const change of changes) t.notOk(sameViewpoint(VIEWPOINT, { ...VIEWPOINT, ...change }), JSON.stringify(change));
});

function record(given: Parameters<typeof buildService>[0] = {}): ServiceRecord {
  const endpoints = [buildEndpoint("10.1.0.1", { nodeName: "n1" }), buildEndpoint("10.1.0.2")];
  return buildRecord(buildService({ ports: PORTS, ...given }), buildSlice(endpoints, { ports: SLICE_PORTS }));
}

function single(endpoints: Parameters<typeof buildSlice>[0]): ServiceRecord {
  return buildRecord(buildService(), buildSlice(endpoints));
}

function printPorts({ ports }: KnownService): readonly string[] {
  return ports.map(({ traffic: { servicePort }, endpoints }) => {
    return [`${servicePort.text} ${servicePort.protocol}:`, ...endpoints.map(({ text }) => text)].join(" ");
  });
}
