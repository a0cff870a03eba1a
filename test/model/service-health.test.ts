// Which Services does a load balancer ask for, and how many endpoints does it find here?
import t from "tap";
import type { EndpointSlice, Service } from "../../src/api/objects.ts";
import { type KnownService, knownServiceOf } from "../../src/model/known-service.ts";
import { serviceHealthOf } from "../../src/model/service-health.ts";
import { worldOf } from "../../src/model/world.ts";
import type { Family } from "../../src/net/family.ts";
import { pagedList } from "../../src/paged-list.ts";
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

const LOCAL = { type: "LoadBalancer", externalTrafficPolicy: "Local", healthCheckNodePort: 32100 } as const;

function health(service: Partial<Service>, slices: readonly EndpointSlice[] = [], family: Family = "IPv4") {
  const snapshot = buildSnapshot([buildRecord(buildService(service), ...slices)]);
  const world = worldOf({ snapshot, nodeName: "n1", options: buildOptions(), facts: buildFacts(), family });
  return serviceHealthOf(world);
}

const ASKED_FOR = [
  { name: "a load balancer with Local policy", service: LOCAL, asked: true },
  { name: "Cluster policy", service: { ...LOCAL, externalTrafficPolicy: "Cluster" }, asked: false },
  { name: "a NodePort Service", service: { ...LOCAL, type: "NodePort" }, asked: false },
  { name: "no health-check nodePort", service: { ...LOCAL, healthCheckNodePort: 0 }, asked: false },
  { name: "a Service of the other family", service: { ...LOCAL, clusterIP: "fd00::1" }, asked: false },
  { name: "a Service without ports", service: { ...LOCAL, ports: [] }, asked: false },
] as const;

for (const { name, service, asked } of ASKED_FOR) {
  t.test(`${name} is ${asked ? "" : "not "}asked for`, async (t) => {
    const found = { namespace: "ns", name: "s", port: 32100, localEndpoints: 0 };
    t.strictSame(health(service), asked ? [found] : []);
  });
}

t.test("only ready endpoints of this node count", async (t) => {
  const here = { nodeName: "n1" };
  const endpoints = [
    buildEndpoint("10.1.0.1", here),
    buildEndpoint("10.1.0.2", { nodeName: "n2" }),
    buildEndpoint("10.1.0.3", { ...here, ready: false }),
    buildEndpoint("10.1.0.4", { ...here, ready: false, terminating: true }),
    buildEndpoint("10.1.0.5", here),
  ];
  t.match(health(LOCAL, [buildSlice(endpoints)]), [{ localEndpoints: 2 }]);
});

t.test("an address counts once, over all ports and slices", async (t) => {
  const ports = [buildPort({ name: "http" }), buildPort({ name: "tls", port: 443 })];
  const slice = (name: string, port: string, ...addresses: readonly string[]) => {
    const endpoints = addresses.map((address) => buildEndpoint(address, { nodeName: "n1" }));
    return buildSlice(endpoints, { name, ports: [{ name: port, protocol: "TCP", port: 8080 }] });
  };
  const slices = [slice("s-1", "http", "10.1.0.1", "10.1.0.2"), slice("s-2", "tls", "10.1.0.2", "10.1.0.3")];
  t.match(health({ ...LOCAL, ports }, slices), [{ localEndpoints: 3 }]);
});

t.test("each family counts its own", async (t) => {
  const service = { ...LOCAL, clusterIPs: ["10.0.0.1", "fd00::1"] };
  const slices = [
    buildSlice([buildEndpoint("10.1.0.1", { nodeName: "n1" })]),
    buildSlice([buildEndpoint("fd00:1::1"), buildEndpoint("fd00:1::2")], { name: "s-2", family: "IPv6" }),
  ];
  t.match(health(service, slices, "IPv4"), [{ localEndpoints: 1 }]);
  t.match(health(service, slices, "IPv6"), [{ localEndpoints: 0 }]);
});

t.test("Services that nobody asks for are not looked into", async (t) => {
  const viewpoint = { family: "IPv4", nodeName: "n1", zone: "", allowServiceExternalIPs: true } as const;
  const known = (name: string, given: Partial<Service>): KnownService => {
    const { record, ports } = knownServiceOf(buildRecord(buildService({ name, ...given })), viewpoint);
    const guarded = ports.map(({ traffic }) => ({
      traffic,
      get endpoints(): never {
        throw new Error(`looked into ${name}`);
      },
    }));
    return { record, ports: guarded };
  };
  t.strictSame(serviceHealthOf({ known: pagedList([known("a", {}), known("b", { healthCheckNodePort: 1 })]) }), []);
  t.throws(() => serviceHealthOf({ known: pagedList([known("c", LOCAL)]) }), /looked into c/);
});
