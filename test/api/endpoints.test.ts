import t from "tap";
import { readEndpoints } from "../../src/api/endpoints.ts";
import type { EndpointSlice } from "../../src/api/objects.ts";
import { fullObject, type Path, spoil } from "../support/full-objects.ts";

const PLACE = { source: "legacy.yaml", document: 1 };

/** `NAME: PORTS -> ENDPOINTS`, an address that is not ready in brackets. */
function print({ name, ports, endpoints }: EndpointSlice): string {
  const printedPorts = ports.map((port) => `${port.name}:${port.port}/${port.protocol}`);
  const printed = endpoints.map(({ address, ready }) => (ready ? address : `(${address})`));
  return `${name}: ${printedPorts.join(" ")} -> ${printed.join(" ")}`;
}

/** Subsets, the slices they become. */
const MIRRORED: Readonly<Record<string, readonly [readonly object[], readonly string[]]>> = {
  "ready and not ready, both families": [
    [
      {
        addresses: [{ ip: "10.244.0.9" }, { ip: "10.244.0.10" }, { ip: "fd00:244::1" }],
        notReadyAddresses: [{ ip: "10.244.0.1" }],
        ports: [{ port: 80 }],
      },
    ],
    [
      "cart-mirrored-ipv4-0: :80/TCP -> 10.244.0.10 10.244.0.9 (10.244.0.1)",
      "cart-mirrored-ipv6-0: :80/TCP -> fd00:244::1",
    ],
  ],
  "equal sets of ports become one slice, in any order": [
    [
      {
        addresses: [{ ip: "10.244.0.2" }],
        ports: [
          { name: "a", port: 1 },
          { name: "b", port: 2 },
        ],
      },
      {
        addresses: [{ ip: "10.244.0.1" }],
        ports: [
          { name: "b", port: 2 },
          { name: "a", port: 1 },
        ],
      },
    ],
    ["cart-mirrored-ipv4-0: a:1/TCP b:2/TCP -> 10.244.0.1 10.244.0.2"],
  ],
  "an address with ports in two subsets has them together": [
    [
      { addresses: [{ ip: "10.244.0.1" }, { ip: "10.244.0.2" }], ports: [{ name: "a", port: 1 }] },
      { addresses: [{ ip: "10.244.0.1" }], ports: [{ name: "b", port: 2, protocol: "UDP" }] },
    ],
    ["cart-mirrored-ipv4-0: a:1/TCP -> 10.244.0.2", "cart-mirrored-ipv4-1: a:1/TCP b:2/UDP -> 10.244.0.1"],
  ],
  "ready and not ready for one port is not ready, in either order": [
    [
      { addresses: [{ ip: "10.244.0.1" }], notReadyAddresses: [{ ip: "010.244.0.2" }], ports: [{ port: 80 }] },
      { addresses: [{ ip: "10.244.0.2" }], notReadyAddresses: [{ ip: "10.244.0.1" }], ports: [{ port: 80 }] },
    ],
    ["cart-mirrored-ipv4-0: :80/TCP -> (10.244.0.1) (10.244.0.2)"],
  ],
  "ready for one port and not for another": [
    [
      { addresses: [{ ip: "10.244.0.1" }], ports: [{ name: "a", port: 1 }] },
      { notReadyAddresses: [{ ip: "10.244.0.1" }], ports: [{ name: "b", port: 2 }] },
    ],
    ["cart-mirrored-ipv4-0: a:1/TCP -> 10.244.0.1", "cart-mirrored-ipv4-1: b:2/TCP -> (10.244.0.1)"],
  ],
  "no ports": [[{ addresses: [{ ip: "10.244.0.1" }], ports: null }], []],
  "the field name of the first years": [
    [{ addresses: [{ IP: "10.244.0.1" }], ports: [{ port: 80 }] }],
    ["cart-mirrored-ipv4-0: :80/TCP -> 10.244.0.1"],
  ],
};

for (const [name, [subsets, wanted]] of Object.entries(MIRRORED)) {
  t.test(name, (t) => {
    const reading = readEndpoints(spoil(fullObject("Endpoints"), ["subsets"], subsets), PLACE);
    t.strictSame(reading.problems, []);
    t.strictSame(reading.objects[0]?.slices.map(print), wanted);
    t.end();
  });
}

t.test("a mirrored slice says all that a control plane would let it say", (t) => {
  const raw = spoil(fullObject("Endpoints"), ["metadata", "labels", "service.kubernetes.io/headless"], "");
  const [slice] = readEndpoints(raw, PLACE).objects[0]?.slices ?? [];
  const endpoint = { serving: true, terminating: false, zoneHints: [], nodeHints: [] };
  t.strictSame(slice, {
    kind: "EndpointSlice",
    namespace: "shop",
    name: "cart-mirrored-ipv4-0",
    service: "cart",
    family: "IPv4",
    headless: true,
    ports: [{ name: "http", protocol: "TCP", port: 8080 }],
    endpoints: [
      { ...endpoint, address: "10.244.0.31", nodeName: "worker-a", ready: true, pod: "shop/cart-0" },
      { ...endpoint, address: "10.244.1.31", nodeName: "", ready: false, pod: "" },
    ],
  });
  t.end();
});

t.test("more than 1000 addresses: the ready ones stay, the rest is told", (t) => {
  const addresses = (third: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({ ip: `10.${third}.${index >> 8}.${index & 255}` }));
  const subset = { addresses: addresses(245, 990), notReadyAddresses: addresses(244, 15), ports: [{ port: 80 }] };
  const reading = readEndpoints(spoil(fullObject("Endpoints"), ["subsets"], [subset]), PLACE);
  const endpoints = reading.objects[0]?.slices[0]?.endpoints ?? [];
  t.equal(endpoints.length, 1000);
  t.equal(endpoints.filter(({ ready }) => ready).length, 990);
  t.strictSame(
    reading.problems.map(({ message }) => message),
    [
      "legacy.yaml: document 1: Endpoints shop/cart: subsets: have more than 1000 addresses for the same ports: 5 left out",
    ],
  );
  t.end();
});

/** Path, value there, the complaint. */
const DROPPED: Readonly<Record<string, readonly [Path, unknown, string]>> = {
  "no address": [
    ["subsets", 0, "addresses", 0, "ip"],
    "cart-0",
    'subsets[0].addresses[0].ip: must be an IP address, not "cart-0"',
  ],
  "nothing at all": [
    ["subsets", 0, "addresses", 0, "ip"],
    null,
    'subsets[0].addresses[0].ip: must be an IP address, not ""',
  ],
  "a loopback address": [
    ["subsets", 0, "notReadyAddresses", 0, "ip"],
    "127.0.0.1",
    'subsets[0].notReadyAddresses[0].ip: is loopback, which no endpoint can be: "127.0.0.1"',
  ],
};

for (const [name, [path, value, complaint]] of Object.entries(DROPPED)) {
  t.test(`dropped alone: ${name}`, (t) => {
    const reading = readEndpoints(spoil(fullObject("Endpoints"), path, value), PLACE);
    t.strictSame(
      reading.problems.map(({ message }) => message),
      [`legacy.yaml: document 1: Endpoints shop/cart: ${complaint}`],
    );
    t.equal(reading.objects[0]?.slices.flatMap(({ endpoints }) => endpoints).length, 2);
    t.end();
  });
}

/** Path, value there, why it is of no use. */
const PASSED_OVER: Readonly<Record<string, readonly [Path, unknown, string]>> = {
  "a label against mirroring": [
    ["metadata", "labels", "endpointslice.kubernetes.io/skip-mirror"],
    "true",
    "its label endpointslice.kubernetes.io/skip-mirror is true",
  ],
  "the lock of a leader election": [
    ["metadata", "annotations", "control-plane.alpha.kubernetes.io/leader"],
    "{}",
    "its annotation control-plane.alpha.kubernetes.io/leader makes it a lock",
  ],
  "a name that no Service can have": [["metadata", "name"], "k8s.io-disks", "no Service can have its name"],
};

for (const [name, [path, value, reason]] of Object.entries(PASSED_OVER)) {
  t.test(`passed over: ${name}`, (t) => {
    const reading = readEndpoints(spoil(fullObject("Endpoints"), path, value), PLACE);
    t.strictSame(reading.objects, []);
    t.strictSame(
      reading.passedOver.map((note) => note.reason),
      [reason],
    );
    t.end();
  });
}

/** A subset beside a good one, the complaint. */
const COSTS: Readonly<Record<string, readonly [unknown, string]>> = {
  "a subset that is a text": ["x", 'subsets[0]: must be an object, not "x"'],
  "addresses that are no list": [
    { addresses: "10.244.0.1", ports: [{ port: 80 }] },
    'subsets[0].addresses: must be a list, not "10.244.0.1"',
  ],
  "an address that is a number": [
    { addresses: [{ ip: 10 }], ports: [{ port: 80 }] },
    "subsets[0].addresses[0].ip: must be a string, not 10",
  ],
  "a port of an unknown protocol": [
    { addresses: [{ ip: "10.244.0.1" }], ports: [{ port: 80, protocol: "QUIC" }] },
    'subsets[0].ports[0].protocol: must be TCP or UDP or SCTP, not "QUIC"',
  ],
  "a port without number": [
    { addresses: [{ ip: "10.244.0.1" }], ports: [{ name: "a" }] },
    "subsets[0].ports[0].port: is missing, must be a number",
  ],
};

for (const [name, [subset, complaint]] of Object.entries(COSTS)) {
  t.test(`costs no more than itself: ${name}`, (t) => {
    const good = { addresses: [{ ip: "10.244.0.9" }], ports: [{ port: 80 }] };
    const reading = readEndpoints(spoil(fullObject("Endpoints"), ["subsets"], [subset, good]), PLACE);
    t.strictSame(
      reading.problems.map(({ message }) => message),
      [`legacy.yaml: document 1: Endpoints shop/cart: ${complaint}`],
    );
    t.strictSame(reading.objects[0]?.slices.map(print), ["cart-mirrored-ipv4-0: :80/TCP -> 10.244.0.9"]);
    t.end();
  });
}

t.test("unreadable: subsets that are no list, and an object without name", (t) => {
  for (const path of [["subsets"], ["metadata", "name"]]) {
    const reading = readEndpoints(spoil(fullObject("Endpoints"), path, "A B"), PLACE);
    t.strictSame(reading.objects, []);
    t.equal(reading.problems.length, 1);
  }
  t.end();
});

t.test("only the word true keeps an object from being mirrored", (t) => {
  const raw = spoil(fullObject("Endpoints"), ["metadata", "labels", "endpointslice.kubernetes.io/skip-mirror"], "yes");
  t.equal(readEndpoints(raw, PLACE).objects.length, 1);
  t.end();
});
