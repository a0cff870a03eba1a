// Which clusters are so crowded that chains of an index come to several levels?
import fc from "fast-check";
import type { Service, ServiceRecord, Snapshot } from "../../src/api/objects.ts";
import type { RuleOptions } from "../../src/model/settings.ts";
import type { Family } from "../../src/net/family.ts";
import { buildEndpoint, buildPort, buildRecord, buildService, buildSlice, buildSnapshot } from "./build.ts";

/** Few enough that Services claim one another's. */
const PORTS = [80, 80, 443];

const PROTOCOLS = ["TCP", "TCP", "UDP", "SCTP"] as const;

/** What a Service is made of: numbers, of which its addresses and endpoints are made in either family. */
interface Sketch {
  readonly place: number;
  readonly port: number;
  readonly protocol: (typeof PROTOCOLS)[number];
  readonly nodePort: number;
  /** Places of cluster IPs that are claimed from outside too, be they its own or another Service's. */
  readonly externals: readonly number[];
  readonly vips: readonly number[];
  readonly endpoints: number;
  readonly affinity: boolean;
  readonly guarded: boolean;
  readonly policies: readonly [external: "Cluster" | "Local", internal: "Cluster" | "Local"];
}

const policy = fc.constantFrom("Cluster" as const, "Cluster" as const, "Local" as const);

/** Addresses of so many places are claimed by several Services. */
const NEAR = 8;

/** Near one another, and far apart. */
const place = fc.oneof(fc.integer({ min: 1, max: NEAR }), fc.integer({ min: 1, max: 60_000 }));

const sketches: fc.Arbitrary<Sketch> = fc.record({
  place,
  port: fc.constantFrom(...PORTS),
  protocol: fc.constantFrom(...PROTOCOLS),
  nodePort: fc.oneof(fc.constant(0), fc.integer({ min: 30_000, max: 30_020 }), fc.integer({ min: 1, max: 65_535 })),
  externals: fc.array(fc.integer({ min: 1, max: NEAR }), { maxLength: 2 }),
  vips: fc.array(fc.integer({ min: 1, max: NEAR }), { maxLength: 2 }),
  endpoints: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 0, max: 4 }) }, fc.integer({ min: 5, max: 40 })),
  affinity: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
  guarded: fc.boolean(),
  policies: fc.tuple(policy, policy),
});

export interface CrowdedCluster {
  readonly family: Family;
  readonly snapshot: Snapshot;
  readonly options: Partial<RuleOptions>;
}

const options: fc.Arbitrary<Partial<RuleOptions>> = fc
  .record({
    masqueradeAll: fc.constantFrom(false, false, true),
    local: fc.constantFrom<Partial<RuleOptions>>(
      { clusterCIDRs: ["10.244.0.0/16", "fd00:244::/56"] },
      { clusterCIDRs: ["0.0.0.0/0", "::/0"] },
      { clusterCIDRs: [] },
      { detectLocalMode: "InterfaceNamePrefix", interfaceNamePrefix: "cni" },
    ),
  })
  .map(({ local, ...given }) => ({ ...given, ...local }));

/** Up to sixty Services of one family. */
export const crowdedClusters: fc.Arbitrary<CrowdedCluster> = fc
  .record({
    family: fc.constantFrom("IPv4" as const, "IPv6" as const),
    list: fc.uniqueArray(sketches, { selector: (sketch) => sketch.place, minLength: 1, maxLength: 60 }),
    options,
  })
  .map(({ family, list, options }) => ({
    family,
    options,
    snapshot: buildSnapshot(
      list.map((sketch, index) => recordOf(options.masqueradeAll ? apart(sketch) : sketch, index, family)),
    ),
  }));

/** Where all is masqueraded, layouts do not agree on pods that ask for a cluster IP that others claim. */
function apart(sketch: Sketch): Sketch {
  const away = (places: readonly number[]) => places.map((one) => one + FAR);
  return { ...sketch, externals: away(sketch.externals), vips: away(sketch.vips) };
}

/** Beyond the place of any cluster IP. */
const FAR = 60_000;

function recordOf(sketch: Sketch, index: number, family: Family): ServiceRecord {
  const name = `s-${index}`;
  const service: Partial<Service> = {
    name,
    clusterIP: servedAt(sketch.place, family),
    type: "LoadBalancer",
    ports: [buildPort({ protocol: sketch.protocol, port: sketch.port, nodePort: sketch.nodePort })],
    externalIPs: sketch.externals.map((one) => servedAt(one, family)),
    ingressVIPs: sketch.vips.map((one) => servedAt(one, family)),
    sourceRanges: sketch.guarded ? [family === "IPv4" ? "198.18.0.0/15" : "2001:db8:a::/48"] : "everyone",
    affinitySeconds: sketch.affinity ? 600 : 0,
    healthCheckNodePort: sketch.policies[0] === "Local" ? 32_000 + index : 0,
    externalTrafficPolicy: sketch.policies[0],
    internalTrafficPolicy: sketch.policies[1],
  };
  const endpoints = Array.from({ length: sketch.endpoints }, (_, host) =>
    // A third of them is on this node: Services of one endpoint or none have none there.
    buildEndpoint(endpointAt(sketch.place, host, family), { nodeName: host % 3 === 1 ? "n1" : "n2" }),
  );
  const slice = { name: `${name}-1`, service: name, family, ports: [{ ...BEHIND, protocol: sketch.protocol }] };
  return buildRecord(buildService(service), buildSlice(endpoints, slice));
}

const BEHIND = { name: "http", port: 8080 };

function servedAt(place: number, family: Family): string {
  return family === "IPv4"
    ? `10.96.${place >> 8}.${place & 255}`
    : `fd00:96::${((place >> 8) + 1).toString(16)}:${(place & 255) + 1}`;
}

function endpointAt(place: number, host: number, family: Family): string {
  return family === "IPv4"
    ? `10.244.${place & 255}.${host + 10}`
    : `fd00:244:0:${(place & 255).toString(16)}::${(host + 16).toString(16)}`;
}
