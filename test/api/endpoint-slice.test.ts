import t from "tap";
import { readEndpointSlice, readSliceWithoutPods } from "../../src/api/endpoint-slice.ts";
import { fullObject, type Path, spoil } from "../support/full-objects.ts";

const PLACE = { source: "slices.yaml", document: 1 };
const BEFORE = "slices.yaml: document 1: EndpointSlice shop/web-a: ";

const ENDPOINT = {
  address: "10.244.0.11",
  nodeName: "worker-a",
  ready: false,
  serving: true,
  terminating: true,
  zoneHints: ["zone-a"],
  nodeHints: ["worker-a"],
  pod: "shop/web-0",
};
const SLICE = {
  kind: "EndpointSlice",
  namespace: "shop",
  name: "web-a",
  service: "web",
  family: "IPv4",
  headless: false,
  ports: [{ name: "http", protocol: "TCP", port: 8080 }],
  endpoints: [ENDPOINT],
};

/** Path, value there, what differs from the full slice. */
const ACCEPTED: Readonly<Record<string, readonly [Path, unknown, object]>> = {
  "everything said": [["kind"], "EndpointSlice", {}],
  "no conditions: ready and serving": [
    ["endpoints", 0, "conditions"],
    null,
    { endpoints: [{ ...ENDPOINT, ready: true, terminating: false }] },
  ],
  "not ready and not told whether serving: serving": [
    ["endpoints", 0, "conditions"],
    { ready: false },
    { endpoints: [{ ...ENDPOINT, terminating: false }] },
  ],
  "no hints": [["endpoints", 0, "hints"], undefined, { endpoints: [{ ...ENDPOINT, zoneHints: [], nodeHints: [] }] }],
  "no node": [["endpoints", 0, "nodeName"], null, { endpoints: [{ ...ENDPOINT, nodeName: "" }] }],
  "a Pod of the slice's own namespace": [["endpoints", 0, "targetRef", "namespace"], undefined, {}],
  "behind it is no Pod": [["endpoints", 0, "targetRef", "kind"], "VM", { endpoints: [{ ...ENDPOINT, pod: "" }] }],
  "behind it is nothing named": [["endpoints", 0, "targetRef"], null, { endpoints: [{ ...ENDPOINT, pod: "" }] }],
  "an old address with leading zeros": [["endpoints", 0, "addresses", 0], "010.244.000.011", {}],
  "a mapped address": [["endpoints", 0, "addresses", 0], "::ffff:10.244.0.11", {}],
  "only the first address counts": [["endpoints", 0, "addresses", 1], "nonsense", {}],
  "no endpoints": [["endpoints"], null, { endpoints: [] }],
  "no ports": [["ports"], null, { ports: [] }],
  "a port without name and protocol": [
    ["ports"],
    [{ port: 8080 }],
    { ports: [{ name: "", protocol: "TCP", port: 8080 }] },
  ],
  "the headless label counts whatever it holds": [
    ["metadata", "labels", "service.kubernetes.io/headless"],
    "false",
    { headless: true },
  ],
};

for (const [name, [path, value, difference]] of Object.entries(ACCEPTED)) {
  t.test(name, (t) => {
    const reading = readEndpointSlice(spoil(fullObject("EndpointSlice"), path, value), PLACE);
    t.strictSame(reading, { objects: [{ ...SLICE, ...difference }], problems: [], passedOver: [] });
    t.end();
  });
}

/** Path, value there, the complaint, what differs from the full slice. */
const DROPPED: Readonly<Record<string, readonly [Path, unknown, string, object]>> = {
  "an endpoint without address": [
    ["endpoints", 0, "addresses"],
    [],
    "endpoints[0].addresses: has no address",
    { endpoints: [] },
  ],
  "a port without number": [
    ["ports", 0, "port"],
    null,
    "ports[0].port: must be a whole number from 1 to 65535, not null",
    { ports: [] },
  ],
  "port nought": [
    ["ports", 0, "port"],
    0,
    "ports[0].port: must be a whole number from 1 to 65535, not 0",
    { ports: [] },
  ],
  "a port whose name is null": [
    ["ports", 0, "name"],
    null,
    "ports[0].name: is null, so no port of a Service can match it",
    { ports: [] },
  ],
};

for (const [name, [path, value, complaint, difference]] of Object.entries(DROPPED)) {
  t.test(`dropped alone: ${name}`, (t) => {
    const reading = readEndpointSlice(spoil(fullObject("EndpointSlice"), path, value), PLACE);
    t.strictSame(reading.objects, [{ ...SLICE, ...difference }]);
    t.strictSame(messages(reading), [BEFORE + complaint]);
    t.end();
  });
}

/** Address, what it is: all that no endpoint can be. */
const FORBIDDEN: readonly (readonly [string, string])[] = [
  ["0.0.0.0", "unspecified"],
  ["127.0.0.1", "loopback"],
  ["127.255.255.254", "loopback"],
  ["169.254.169.254", "link-local"],
  ["224.0.0.251", "link-local multicast"],
  ["0:0::0", "unspecified"],
  ["::1", "loopback"],
  ["fe80::1", "link-local"],
  ["FEBF::1", "link-local"],
  ["ff02::fb", "link-local multicast"],
];

for (const [address, sort] of FORBIDDEN) {
  t.test(`dropped alone: an endpoint at ${address}`, (t) => {
    const raw = spoil(fullObject("EndpointSlice"), ["addressType"], address.includes(":") ? "IPv6" : "IPv4");
    const reading = readEndpointSlice(spoil(raw, ["endpoints", 0, "addresses"], [address]), PLACE);
    t.strictSame(
      reading.objects.map(({ endpoints }) => endpoints),
      [[]],
    );
    t.strictSame(messages(reading), [
      `${BEFORE}endpoints[0].addresses[0]: is ${sort}, which no endpoint can be: "${address}"`,
    ]);
    t.end();
  });
}

/** Neighbours of what is forbidden. */
for (const address of [
  "1.0.0.0",
  "126.0.0.1",
  "169.253.0.1",
  "224.0.1.1",
  "::2",
  "::1:0",
  "fe7f::1",
  "fec0::1",
  "ff05::2",
]) {
  t.test(`an endpoint at ${address}`, (t) => {
    const raw = spoil(fullObject("EndpointSlice"), ["addressType"], address.includes(":") ? "IPv6" : "IPv4");
    const reading = readEndpointSlice(spoil(raw, ["endpoints", 0, "addresses"], [address]), PLACE);
    t.strictSame(reading.objects[0]?.endpoints[0]?.address, address);
    t.strictSame(reading.problems, []);
    t.end();
  });
}

const SECOND = { addresses: ["10.244.1.12"] };
const READ_SECOND = {
  address: "10.244.1.12",
  nodeName: "",
  ready: true,
  serving: true,
  terminating: false,
  zoneHints: [],
  nodeHints: [],
  pod: "",
};

/** Path in the full slice with a second endpoint, value there, the complaint, what is read of the first endpoint. */
const COSTS: Readonly<Record<string, readonly [Path, unknown, string, object | "nothing"]>> = {
  "an IPv6 address among IPv4": [
    ["endpoints", 0, "addresses", 0],
    "fd00::1",
    'endpoints[0].addresses[0]: must be an IPv4 address, not "fd00::1"',
    "nothing",
  ],
  "an address with a zone": [
    ["endpoints", 0, "addresses", 0],
    "fe80::1%eth0",
    'endpoints[0].addresses[0]: must be an IPv4 address, not "fe80::1%eth0"',
    "nothing",
  ],
  "an address that is a number": [
    ["endpoints", 0, "addresses", 0],
    10,
    "endpoints[0].addresses[0]: must be a string, not 10",
    "nothing",
  ],
  "addresses that are no list": [
    ["endpoints", 0, "addresses"],
    "10.244.0.11",
    'endpoints[0].addresses: must be a list, not "10.244.0.11"',
    "nothing",
  ],
  "an endpoint that is null": [["endpoints", 0], null, "endpoints[0]: must be an object, not null", "nothing"],
  "a condition in words, which is taken for one that is not known": [
    ["endpoints", 0, "conditions", "ready"],
    "yes",
    'endpoints[0].conditions.ready: must be a boolean, not "yes"',
    { ...ENDPOINT, ready: true },
  ],
  "a condition that is a number": [
    ["endpoints", 0, "conditions", "terminating"],
    1,
    "endpoints[0].conditions.terminating: must be a boolean, not 1",
    { ...ENDPOINT, terminating: false },
  ],
  "conditions that are no object": [
    ["endpoints", 0, "conditions"],
    "ready",
    'endpoints[0].conditions: must be an object, not "ready"',
    { ...ENDPOINT, ready: true, serving: true, terminating: false },
  ],
  "a node that is no name": [
    ["endpoints", 0, "nodeName"],
    "worker a",
    'endpoints[0].nodeName: must be a DNS subdomain, not "worker a"',
    { ...ENDPOINT, nodeName: "" },
  ],
  "a hint for a zone that no label can name": [
    ["endpoints", 0, "hints", "forZones", 0, "name"],
    "zone a",
    'endpoints[0].hints.forZones[0].name: must be a label value, not "zone a"',
    { ...ENDPOINT, zoneHints: [] },
  ],
  "a hint without name": [
    ["endpoints", 0, "hints", "forNodes", 0],
    {},
    "endpoints[0].hints.forNodes[0].name: is missing, must be a string",
    { ...ENDPOINT, nodeHints: [] },
  ],
  "hints that are a list": [
    ["endpoints", 0, "hints"],
    [],
    "endpoints[0].hints: must be an object, not a list",
    { ...ENDPOINT, zoneHints: [], nodeHints: [] },
  ],
  "a reference to a Pod that is none": [
    ["endpoints", 0, "targetRef"],
    "web-0",
    'endpoints[0].targetRef: must be an object, not "web-0"',
    { ...ENDPOINT, pod: "" },
  ],
  "a reference to a Pod in no namespace": [
    ["endpoints", 0, "targetRef", "namespace"],
    "a/b",
    'endpoints[0].targetRef.namespace: must be a DNS label, not "a/b"',
    { ...ENDPOINT, pod: "" },
  ],
};

for (const [name, [path, value, complaint, first]] of Object.entries(COSTS)) {
  t.test(`costs no more than itself: ${name}`, (t) => {
    const full = spoil(fullObject("EndpointSlice"), ["endpoints"], [endpointOfFull(), SECOND]);
    const reading = readEndpointSlice(spoil(full, path, value), PLACE);
    const endpoints = first === "nothing" ? [READ_SECOND] : [first, READ_SECOND];
    t.strictSame(reading.objects, [{ ...SLICE, endpoints }]);
    t.strictSame(messages(reading), [BEFORE + complaint]);
    t.end();
  });
}

function endpointOfFull(): unknown {
  const full = fullObject("EndpointSlice");
  return typeof full === "object" && full !== null && "endpoints" in full && Array.isArray(full.endpoints)
    ? full.endpoints[0]
    : undefined;
}

t.test("a hint for the zone without a name is valid, and points nowhere", (t) => {
  const hints = { forZones: [{ name: "" }] };
  const reading = readEndpointSlice(spoil(fullObject("EndpointSlice"), ["endpoints", 0, "hints"], hints), PLACE);
  t.strictSame(reading.problems, []);
  t.strictSame(reading.objects[0]?.endpoints[0]?.zoneHints, [""]);
  t.end();
});

/** The first of two ports, the complaint. */
const BAD_PORTS: readonly (readonly [object, string])[] = [
  [{ port: 65536 }, "ports[0].port: must be a whole number from 0 to 65535, not 65536"],
  [{ port: "http" }, 'ports[0].port: must be a number, not "http"'],
  [{ port: 80, protocol: "QUIC" }, 'ports[0].protocol: must be TCP or UDP or SCTP, not "QUIC"'],
  [{ port: 80, name: "a b" }, 'ports[0].name: must be a DNS label, not "a b"'],
  [{ port: 80, name: null }, "ports[0].name: is null, so no port of a Service can match it"],
];

for (const [port, complaint] of BAD_PORTS) {
  t.test(`costs no more than itself: the port ${JSON.stringify(port)}`, (t) => {
    const ports = [port, { name: "http", port: 8080 }];
    const reading = readEndpointSlice(spoil(fullObject("EndpointSlice"), ["ports"], ports), PLACE);
    t.strictSame(reading.objects, [SLICE]);
    t.strictSame(messages(reading), [BEFORE + complaint]);
    t.end();
  });
}

/** Path, value there, the complaint. */
const UNREADABLE: Readonly<Record<string, readonly [Path, unknown, string]>> = {
  "no address type": [["addressType"], undefined, "addressType: is missing, must be a string"],
  "an address type of a newer API server": [
    ["addressType"],
    "MAC",
    'addressType: must be IPv4 or IPv6 or FQDN, not "MAC"',
  ],
  "not one endpoint that can be read": [
    ["endpoints", 0, "addresses", 0],
    "fd00::1",
    'endpoints[0].addresses[0]: must be an IPv4 address, not "fd00::1"',
  ],
  "endpoints that are no list": [["endpoints"], {}, "endpoints: must be a list, not an object"],
  "not one port that can be read": [["ports", 0, "port"], "80", 'ports[0].port: must be a number, not "80"'],
  "labels that cannot be read": [["metadata", "labels"], 7, "metadata.labels: must be an object, not 7"],
  "a Service that is a number": [
    ["metadata", "labels", "kubernetes.io/service-name"],
    7,
    'metadata.labels["kubernetes.io/service-name"]: must be a string, not 7',
  ],
  "a Service that the API server would reject": [
    ["metadata", "labels", "kubernetes.io/service-name"],
    "web.shop",
    'metadata.labels["kubernetes.io/service-name"]: must be a DNS label, not "web.shop"',
  ],
};

for (const [name, [path, value, complaint]] of Object.entries(UNREADABLE)) {
  t.test(`unreadable: a slice with ${name}`, (t) => {
    const reading = readEndpointSlice(spoil(fullObject("EndpointSlice"), path, value), PLACE);
    t.strictSame(reading.objects, []);
    t.strictSame(messages(reading), [BEFORE + complaint]);
    t.end();
  });
}

t.test("unreadable: a slice without metadata", (t) => {
  const reading = readEndpointSlice(spoil(fullObject("EndpointSlice"), ["metadata"], null), PLACE);
  t.strictSame(reading.objects, []);
  t.strictSame(messages(reading), ["slices.yaml: document 1: metadata: must be an object, not null"]);
  t.end();
});

/** Path, value there, why it is of no use. */
const PASSED_OVER: Readonly<Record<string, readonly [Path, unknown, string]>> = {
  "host names": [["addressType"], "FQDN", "its addresses are host names"],
  "no label": [["metadata", "labels"], undefined, "it has no label kubernetes.io/service-name"],
  "an empty label": [
    ["metadata", "labels", "kubernetes.io/service-name"],
    null,
    "it has no label kubernetes.io/service-name",
  ],
};

for (const [name, [path, value, reason]] of Object.entries(PASSED_OVER)) {
  t.test(`passed over: a slice with ${name}`, (t) => {
    const reading = readEndpointSlice(spoil(fullObject("EndpointSlice"), path, value), PLACE);
    const place = { ...PLACE, object: "EndpointSlice shop/web-a" };
    t.strictSame(reading, { objects: [], problems: [], passedOver: [{ place, reason, category: "unused" }] });
    t.end();
  });
}

t.test("without Pods", async (t) => {
  const expected = [{ ...SLICE, endpoints: [{ ...ENDPOINT, pod: "" }] }];
  t.strictSame(readSliceWithoutPods(fullObject("EndpointSlice"), PLACE).objects, expected);
  const strange = spoil(fullObject("EndpointSlice"), ["endpoints", 0, "targetRef"], "no reference at all");
  t.strictSame(readSliceWithoutPods(strange, PLACE).objects, expected, "whatever would name them");
});

function messages({ problems }: { readonly problems: readonly Error[] }): readonly string[] {
  return problems.map(({ message }) => message);
}
