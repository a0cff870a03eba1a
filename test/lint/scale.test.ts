// Checks the findings about clusters that are too large for iptables chains or ipsets.
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
  buildPort,
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

t.test("more than 1000 ServicePorts of one family are reported once, on the first above the limit", async (t) => {
  t.strictSame(findLayout(servicesOf(1000), 1), [], "1000 are within the limit");
  t.strictSame(findLayout(servicesOf(1003), 0), [], "ServicePorts without endpoints are in another chain");
  const findings = findLayout(servicesOf(1003), 1);
  t.strictSame(findings, [
    {
      id: "layout",
      severity: "warning",
      object: "Service ns/s1000",
      field: "spec.ports[0]",
      message: "this is IPv4 Service port 1001 with endpoints; layout Compat has one chain with a rule for each",
      consequence: "every new connection on the node traverses that chain, also those to no Service",
      remedy: "set iptables.layout to Indexed, which finds the rule in a few steps",
    },
  ]);
});

t.test("more than 250 endpoints of one ServicePort are reported", async (t) => {
  t.strictSame(findLayout([buildService({})], 250), [], "250 are within the limit");
  const [finding, ...others] = findLayout([buildService({})], 251);
  t.strictSame(others, []);
  t.match(finding, {
    object: "Service ns/s",
    field: "spec.ports[0]",
    message: "the Service port has 251 IPv4 endpoints in one chain",
    consequence: "every new connection traverses half of that chain on average",
    remedy: "set iptables.layout to Indexed",
  });
});

for (const [name, given] of [
  ["the Indexed layout has no long chains to report", { iptablesLayout: "Indexed" }],
  ["IPVS mode has no long chains to report", { mode: "ipvs" }],
] as const) {
  t.test(name, async (t) => {
    t.strictSame(findLayout(servicesOf(1003), 251, given), []);
  });
}

const MAX_ENTRIES = 65_536;

function findSetSizes(service: Service, mode: "iptables" | "ipvs") {
  const options = buildOptions({ mode });
  const endpoints = buildSlice([buildEndpoint("10.1.0.1", { nodeName: "n1" })]);
  const snapshot = buildSnapshot([buildRecord(service, endpoints)]);
  const cluster = lintedClusterOf({
    options: { ...options, iptablesLayout: "Compat" },
    nodeName: "n1",
    objects: [service, buildService({ name: "unknown" })],
    manifests: new Map([["Service ns/s", readServiceManifest({ metadata: {}, spec: {} })]]),
    slices: new Map(),
    unread: new Set(),
    worlds: FAMILIES.map((family) => {
      return worldOf({ snapshot, nodeName: "n1", options, facts: buildFacts(), family });
    }),
    addresses: [],
  });
  return [...lint(cluster)].filter(({ id }) => id === "set-size").map(({ object, message }) => [object, message]);
}

function withRanges(count: number): Service {
  const sourceRanges = Array.from(
    { length: count },
    (_, index) => `198.${index >> 16}.${(index >> 8) & 255}.${index & 255}/32`,
  );
  return buildService({
    type: "LoadBalancer",
    ingressVIPs: ["203.0.113.5"],
    sourceRanges,
    externalTrafficPolicy: "Local",
  });
}

t.test("source ranges above the size of an ipset are reported once", (t) => {
  const message = `ipset KUBE-LOAD-BALANCER-SOURCE-CIDR holds ${MAX_ENTRIES} entries, and this Service adds one more`;
  t.strictSame(findSetSizes(withRanges(MAX_ENTRIES), "ipvs"), []);
  t.strictSame(findSetSizes(withRanges(MAX_ENTRIES + 1), "ipvs"), [["Service ns/s", message]]);
  t.strictSame(findSetSizes(withRanges(MAX_ENTRIES + 1), "iptables"), [], "iptables mode has no ipsets");
  t.end();
});

t.test("a load balancer without source ranges adds no entries for ranges", (t) => {
  t.strictSame(findSetSizes({ ...withRanges(0), sourceRanges: "everyone" }, "ipvs"), []);
  t.end();
});

t.test("external IPs are counted in the ipset of their policy, whose IPv6 name has at most 31 characters", (t) => {
  const externalIPs = Array.from({ length: MAX_ENTRIES + 1 }, (_, index) => `2001:db8::${index.toString(16)}`);
  const service = buildService({ clusterIP: "fd00::1", externalIPs, ports: [buildPort()] });
  const names = findSetSizes(service, "ipvs").map(([, message]) => /KUBE-\S+/.exec(message ?? "")?.[0]);
  t.strictSame(names, ["KUBE-6-IPVS-IPS", "KUBE-6-EXTERNAL-IP"]);
  const local = findSetSizes({ ...service, externalTrafficPolicy: "Local" }, "ipvs");
  t.match(local.at(-1), [/Service/, /KUBE-6-EXTERNAL-IP-LOCAL/]);
  t.end();
});
