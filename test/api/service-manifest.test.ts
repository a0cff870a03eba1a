// What is kept of a Service's manifest beside the Service?
import t from "tap";
import { readServiceManifest } from "../../src/api/service-manifest.ts";

t.test("every entry keeps its position, canonical where it can be read", (t) => {
  const manifest = readServiceManifest({
    metadata: { annotations: { a: "b", odd: 7 } },
    spec: {
      trafficDistribution: "PreferClose",
      publishNotReadyAddresses: true,
      ports: [{ targetPort: "web" }, {}, { targetPort: 8080 }, { targetPort: [] }],
      externalIPs: ["010.0.0.1", "x", "FD00::1"],
      loadBalancerSourceRanges: [" 10.1.2.3/8", "all"],
    },
    status: { loadBalancer: { ingress: [{ ip: "192.0.2.1", ipMode: "Proxy" }, { hostname: "lb" }] } },
  });
  t.strictSame(manifest, {
    annotations: new Map([
      ["a", "b"],
      ["odd", ""],
    ]),
    trafficDistribution: "PreferClose",
    publishNotReadyAddresses: true,
    targetPorts: ["web", undefined, 8080, undefined],
    externalIPs: ["10.0.0.1", "", "fd00::1"],
    sourceRanges: [{ family: "IPv4", text: "10.0.0.0/8", prefix: 8 }, undefined],
    ingress: [
      { address: "192.0.2.1", mode: "Proxy" },
      { address: "", mode: "VIP" },
    ],
  });
  t.end();
});

t.test("nothing is told of what is not there", (t) => {
  t.strictSame(readServiceManifest({ metadata: {}, spec: {} }), {
    annotations: new Map(),
    trafficDistribution: "",
    publishNotReadyAddresses: false,
    targetPorts: [],
    externalIPs: [],
    sourceRanges: [],
    ingress: [],
  });
  t.end();
});
