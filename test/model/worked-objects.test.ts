// What do objects, as an operator writes them, come to on node n1?
import t from "tap";
import { readEndpointSlice } from "../../src/api/endpoint-slice.ts";
import type { EndpointSlice, Service } from "../../src/api/objects.ts";
import { readService } from "../../src/api/service.ts";
import { worldOf } from "../../src/model/world.ts";
import { FAMILIES, type Family } from "../../src/net/family.ts";
import { buildFacts, buildOptions, buildSnapshot } from "../support/build.ts";

const METADATA = { namespace: "ns", name: "s" };
const HTTP = { name: "http", port: 80 };
const DUAL = { clusterIP: "10.0.0.1", clusterIPs: ["10.0.0.1", "fd00::1"], ipFamilies: ["IPv4", "IPv6"] };

t.test("34 dual stack, external IPs of both families, one unreadable, one blank", async (t) => {
  const { objects, problems } = service({ ...DUAL, externalIPs: ["1.2.3.4", "2001::5", "x", " "] });
  t.strictSame(print(objects, []), ["IPv4 10.0.0.1:80 external 1.2.3.4", "IPv6 fd00::1:80 external 2001::5"]);
  t.equal(problems.length, 1);
});

t.test("38 headless", async (t) => {
  t.strictSame(print(service({ clusterIP: "None", clusterIPs: ["None"], ipFamilies: ["IPv4"] }).objects, []), []);
});

t.test("39 ingress of mode Proxy and host names are no VIPs", async (t) => {
  const ingress = [{ ip: "5.5.5.5", ipMode: "Proxy" }, { ip: "5.5.5.6" }, { hostname: "lb" }];
  const given = { ...DUAL, type: "LoadBalancer", ports: [{ ...HTTP, nodePort: 30080 }] };
  t.strictSame(print(service(given, { loadBalancer: { ingress } }).objects, []), [
    "IPv4 10.0.0.1:80 VIP 5.5.5.6 nodePort 30080",
    "IPv6 fd00::1:80 nodePort 30080",
  ]);
});

t.test("41 a zero range opens its family", async (t) => {
  const ranges = [" 10.0.0.0/8", "0.0.0.0/0", "fd00::/8"];
  const { objects } = service({ ...DUAL, type: "LoadBalancer", loadBalancerSourceRanges: ranges });
  t.strictSame(print(objects, []), ["IPv4 10.0.0.1:80", "IPv6 fd00::1:80 sources fd00::/8"]);
});

t.test("47 affinity without a time-out holds three hours", async (t) => {
  t.strictSame(print(service({ clusterIP: "10.0.0.1", sessionAffinity: "ClientIP" }).objects, []), [
    "IPv4 10.0.0.1:80 affinity 10800",
  ]);
});

const PORTS = [{ name: "http", port: 8080, protocol: "TCP" }];
const READY = { addresses: ["10.1.0.1"], conditions: { ready: true } };

const SLICES: readonly (readonly [name: string, slice: object, ...endpoints: string[]])[] = [
  ["50 all conditions unsaid", { endpoints: [{ addresses: ["10.1.0.1"], nodeName: "n1" }] }, "10.1.0.1:8080 here"],
  ["51 not ready, the rest unsaid", { endpoints: [{ addresses: ["10.1.0.1"], conditions: { ready: false } }] }],
  ["52 two addresses", { endpoints: [{ addresses: ["10.1.0.1", "10.1.0.2"] }] }, "10.1.0.1:8080"],
  ["54 FQDN", { addressType: "FQDN", endpoints: [{ addresses: ["web.example.com"] }] }],
  ["55 no service-name label", { metadata: { namespace: "ns", name: "s-1", labels: {} } }],
  [
    "56 port number unsaid",
    {
      ports: [
        { name: "http", port: null },
        { name: "other", port: 81 },
      ],
    },
  ],
  ["57 leading zeros", { endpoints: [{ addresses: ["010.001.000.002"] }] }, "10.1.0.2:8080"],
];

for (const [name, given, ...expected] of SLICES) {
  t.test(name, async (t) => {
    const { objects } = slice(given);
    const service80 = service({ clusterIP: "10.0.0.1" }).objects;
    t.strictSame(print(service80, objects), [["IPv4 10.0.0.1:80", ...expected].join(" ")]);
  });
}

function service(spec: object, status: object = {}): ReturnType<typeof readService> {
  return readService(
    { apiVersion: "v1", kind: "Service", metadata: METADATA, spec: { ports: [HTTP], ...spec }, status },
    {},
  );
}

function slice(given: object): ReturnType<typeof readEndpointSlice> {
  const metadata = { namespace: "ns", name: "s-1", labels: { "kubernetes.io/service-name": "s" } };
  const head = { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", metadata, addressType: "IPv4" };
  return readEndpointSlice({ ...head, ports: PORTS, endpoints: [READY], ...given }, {});
}

/** One line for each ServicePort: its addresses, what is particular, and the endpoints that it may send to. */
function print(services: readonly Service[], slices: readonly EndpointSlice[]): readonly string[] {
  const snapshot = buildSnapshot(services.map((one) => ({ service: one, slices })));
  return FAMILIES.flatMap((family: Family) => {
    const world = worldOf({ snapshot, nodeName: "n1", family, options: buildOptions(), facts: buildFacts() });
    return [...world.services].map(({ servicePort: port, reachable }) => {
      const parts = [
        `${family} ${port.clusterIP}:${port.port}`,
        ...port.externalIPs.map((ip) => `external ${ip}`),
        ...port.loadBalancerVIPs.map((ip) => `VIP ${ip}`),
        ...(port.nodePort === 0 ? [] : [`nodePort ${port.nodePort}`]),
        ...(port.sourceRanges === "everyone" ? [] : port.sourceRanges.map((range) => `sources ${range}`)),
        ...(port.affinitySeconds === 0 ? [] : [`affinity ${port.affinitySeconds}`]),
        ...reachable.map(({ text, local }) => (local ? `${text} here` : text)),
      ];
      return parts.join(" ");
    });
  });
}
