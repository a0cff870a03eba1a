// Is it told when the Indexed layout would pay?
import t from "tap";
import type { Service } from "../../src/api/objects.ts";
import { readServiceManifest } from "../../src/api/service-manifest.ts";
import { lintedClusterOf } from "../../src/lint/cluster.ts";
import { lint } from "../../src/lint/lint.ts";
import { worldOf } from "../../src/model/world.ts";
import { FAMILIES } from "../../src/net/family.ts";
import type { Options } from "../../src/options/options.ts";
import {
  buildEndpoint,
  buildFacts,
  buildOptions,
  buildRecord,
  buildService,
  buildSlice,
  buildSnapshot,
} from "../support/build.ts";

function findLayout(services: readonly Service[], endpointCount: number, given: Partial<Options> = {}) {
  const options = { iptablesLayout: "Compat" as const, ...buildOptions(), ...given };
  const addresses = Array.from({ length: endpointCount }, (_, index) => `10.1.${index >> 8}.${index & 255}`);
  const endpoints = addresses.map((address) => buildEndpoint(address, { nodeName: "n1" }));
  const records = services.map((service) => buildRecord(service, buildSlice(endpoints, { service: service.name })));
  const snapshot = buildSnapshot(records);
  const manifest = readServiceManifest({ metadata: {}, spec: {} });
  const cluster = lintedClusterOf({
    options,
    nodeName: "n1",
    objects: services,
    manifests: new Map(services.map(({ namespace, name }) => [`Service ${namespace}/${name}`, manifest])),
    slices: new Map(),
    unread: new Set(),
    worlds: FAMILIES.map((family) => {
      return worldOf({ snapshot, nodeName: "n1", options, facts: buildFacts(), family });
    }),
    addresses: [],
  });
  return [...lint(cluster)].filter(({ id }) => id === "layout");
}

function servicesOf(count: number): readonly Service[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `s${String(index).padStart(4, "0")}`;
    return buildService({ name, clusterIP: `10.96.${index >> 8}.${index & 255}` });
  });
}

t.test("many ServicePorts of one family: told once, of the first too many", async (t) => {
  t.strictSame(findLayout(servicesOf(1000), 1), [], "1000 are not many");
  t.strictSame(findLayout(servicesOf(1003), 0), [], "without endpoints they stand elsewhere");
  const findings = findLayout(servicesOf(1003), 1);
  t.strictSame(findings, [
    {
      id: "layout",
      severity: "warning",
      object: "Service ns/s1000",
      field: "spec.ports[0]",
      message: "this is port 1001 of those with endpoints in IPv4, and rules for more than 1000 stand in one list",
      consequence:
        "each new connection of the node, to no Service too, goes through that list; " +
        "iptables.layout Indexed finds it in a few steps",
    },
  ]);
});

t.test("many endpoints of one Service", async (t) => {
  t.strictSame(findLayout([buildService({})], 250), [], "250 are not many");
  const [finding, ...others] = findLayout([buildService({})], 251);
  t.strictSame(others, []);
  t.match(finding, {
    object: "Service ns/s",
    field: "spec.ports[0]",
    message: "251 endpoints of IPv4 stand in one list",
    consequence: "each new connection goes through half of that list to its endpoint; iptables.layout Indexed finds",
  });
});

for (const [name, given] of [
  ["the Indexed layout has no such lists", { iptablesLayout: "Indexed" }],
  ["IPVS mode has none either", { mode: "ipvs" }],
] as const) {
  t.test(name, async (t) => {
    t.strictSame(findLayout(servicesOf(1003), 251, given), []);
  });
}
