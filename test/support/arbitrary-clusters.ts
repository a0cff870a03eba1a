// Which clusters does a randomised test try?
import fc from "fast-check";
import type { EndpointSlice, Service, Snapshot } from "../../src/api/objects.ts";
import { pagedList } from "../../src/paged-list.ts";
import { buildEndpoint, buildPort, buildRecord, buildService, buildSlice, buildSnapshot } from "./build.ts";

const someHints = fc.subarray(["z1", "z2"]);

/** A slice of either family, its endpoints in every state. */
export const slices: fc.Arbitrary<EndpointSlice> = fc
  .record({
    name: fc.constantFrom("s-1", "s-2", "s-3"),
    family: fc.constantFrom("IPv4", "IPv6"),
    hosts: fc.uniqueArray(
      fc.record({
        host: fc.integer({ min: 1, max: 5 }),
        nodeName: fc.constantFrom("n1", "n2", ""),
        ready: fc.boolean(),
        serving: fc.boolean(),
        terminating: fc.boolean(),
        zoneHints: someHints,
        nodeHints: fc.subarray(["n1", "n2"]),
      }),
      { selector: ({ host }) => host, maxLength: 5 },
    ),
  })
  .map(({ name, family, hosts }) => {
    const address = (host: number) => (family === "IPv4" ? `10.1.0.${host}` : `fd00:1::${host}`);
    return buildSlice(
      hosts.map(({ host, ...given }) => buildEndpoint(address(host), given)),
      { name, family },
    );
  });

/** One of eight Services, with addresses and numbers that others claim too. */
export const services: fc.Arbitrary<Service> = fc
  .record({
    name: fc.constantFrom("a", "b", "a-b", "c"),
    namespace: fc.constantFrom("ns", "ns-1"),
    clusterIPs: fc.constantFrom(["10.0.0.1"], ["10.0.0.1", "fd00::1"], ["fd00::1"]),
    nodePort: fc.constantFrom(0, 30080),
    externalIPs: fc.subarray(["1.2.3.4", "2001::5"]),
    ingressVIPs: fc.subarray(["203.0.113.5", "203.0.113.6", "2001:db8:ff::5"]),
    sourceRanges: fc.constantFrom<Service["sourceRanges"]>(
      "everyone",
      ["198.18.0.0/15"],
      ["192.0.2.0/24", "2001:db8:a::/48"],
      [],
    ),
    affinitySeconds: fc.constantFrom(0, 600),
    type: fc.constantFrom<Service["type"]>("ClusterIP", "NodePort", "LoadBalancer"),
    healthCheckNodePort: fc.constantFrom(0, 32100),
    externalTrafficPolicy: fc.constantFrom("Cluster", "Local"),
    internalTrafficPolicy: fc.constantFrom("Cluster", "Local"),
  })
  .map(({ nodePort, ...given }) => {
    const ports = [buildPort({ nodePort }), buildPort({ name: "dns", protocol: "UDP", port: 53 })];
    return buildService({ ...given, clusterIP: given.clusterIPs[0] ?? "", ports });
  });

/** Up to six Services, with up to three slices each, of either family and in every state; one Node `n1` in zone `z1`. */
export const clusters: fc.Arbitrary<Snapshot> = fc
  .array(
    fc
      .tuple(services, fc.uniqueArray(slices, { selector: ({ name }) => name, maxLength: 3 }))
      .map(([service, own]) => buildRecord(service, ...own)),
    { maxLength: 6 },
  )
  .map((records) => buildSnapshot(records));

/** The same objects, with those of their lists in another order where order has no meaning. */
export function shuffle(snapshot: Snapshot, noise: fc.Stream<number>): Snapshot {
  const mix = <T>(items: Iterable<T>): T[] => {
    const keyed = [...items].map((item) => ({ item, key: [...noise.take(1)][0] ?? 0 }));
    return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
  };
  const mixed = [...snapshot.services].map(({ service, slices: own }) => {
    const ownMixed = mix(own).map((slice) => ({ ...slice, endpoints: mix(slice.endpoints) }));
    return buildRecord({ ...service, ports: mix(service.ports) }, ...ownMixed);
  });
  return { ...snapshot, services: pagedList(mixed) };
}
