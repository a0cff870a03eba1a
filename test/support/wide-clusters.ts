// Which large clusters does a randomised test try, whose Services lie all over the ranges of addresses and ports?
import fc from "fast-check";
import type { Service, ServiceRecord } from "../../src/api/objects.ts";
import { buildEndpoint, buildPort, buildRecord, buildService, buildSlice } from "./build.ts";

const PORTS = [
  { name: "http", protocol: "TCP", port: 8080 },
  { name: "dns", protocol: "UDP", port: 5353 },
  { name: "sig", protocol: "SCTP", port: 3868 },
] as const;

const byte = fc.integer({ min: 0, max: 255 });

/** Close together as in a Service range, or anywhere. */
const v4 = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(byte, byte).map(([c, d]) => `10.96.${c % 4}.${d}`) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.integer({ min: 1, max: 223 }), byte, byte, byte).map((bytes) => bytes.join(".")),
  },
);

const word = fc.integer({ min: 1, max: 0xffff }).map((number) => number.toString(16));

const v6 = fc.oneof(
  { weight: 3, arbitrary: word.map((last) => `fd00:96::${last}`) },
  { weight: 1, arbitrary: fc.tuple(word, word, word).map(([a, b, c]) => `2001:${a}:1:1:${b}:1:1:${c}`) },
);

/** None that small clusters have, whose Services are asked. */
const nodePort = fc
  .oneof(fc.constant(0), fc.integer({ min: 1, max: 65_535 }), fc.integer({ min: 30_000, max: 30_100 }))
  .filter((port) => port !== 30_080);

const endpoints = fc.record({
  host: fc.integer({ min: 0, max: 200 }),
  count: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 3 }), fc.integer({ min: 4, max: 12 })),
  here: fc.boolean(),
});

const given = fc.record({
  clusterIPs: fc.tuple(v4, v6),
  externalIPs: fc.array(fc.oneof(v4, v6), { maxLength: 2 }),
  ingressVIPs: fc.array(fc.oneof(v4, v6), { maxLength: 1 }),
  sourceRanges: fc.constantFrom<Service["sourceRanges"]>("everyone", "everyone", ["198.18.0.0/15", "2001:db8:a::/48"]),
  affinitySeconds: fc.constantFrom(0, 0, 600),
  healthCheckNodePort: fc.constantFrom(0, 0, 32_100, 32_101),
  externalTrafficPolicy: fc.constantFrom<Service["externalTrafficPolicy"]>("Cluster", "Local"),
  internalTrafficPolicy: fc.constantFrom<Service["internalTrafficPolicy"]>("Cluster", "Cluster", "Local"),
});

/** A Service of three ports, and its endpoints in both families; the name is that of its number. */
export function wideRecord(number: number): fc.Arbitrary<ServiceRecord> {
  return fc
    .record({ given, endpoints, nodePorts: fc.tuple(nodePort, nodePort, nodePort) })
    .map(({ given, endpoints: { host, count, here }, nodePorts }) => {
      const name = `s${number}`;
      const ports = PORTS.map((port, index) => buildPort({ ...port, nodePort: nodePorts[index] ?? 0 }));
      const service = buildService({ ...given, name, type: "LoadBalancer", clusterIP: given.clusterIPs[0], ports });
      const nodeName = here ? "n1" : "n2";
      const slices = (["IPv4", "IPv6"] as const).map((family) => {
        const address = (at: number) =>
          family === "IPv4" ? `10.1.${number % 250}.${at}` : `fd00:1::${number + 1}:${at}`;
        const all = Array.from({ length: count }, (_, at) => buildEndpoint(address(host + at), { nodeName }));
        return buildSlice(all, { name: `${name}-${family}`, service: name, family, ports: PORTS });
      });
      return buildRecord(service, ...slices);
    });
}

/** So many of them. */
export function wideRecords(count: number): fc.Arbitrary<readonly ServiceRecord[]> {
  return fc.tuple(...Array.from({ length: count }, (_, number) => wideRecord(number)));
}
