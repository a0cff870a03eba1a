// Is it told when a set of IPVS mode would overflow?
import t from "tap";
import type { Service } from "../../src/api/objects.ts";
import { readServiceManifest } from "../../src/api/service-manifest.ts";
import { lintedClusterOf } from "../../src/lint/cluster.ts";
import { lint } from "../../src/lint/lint.ts";
import { worldOf } from "../../src/model/world.ts";
import { FAMILIES } from "../../src/net/family.ts";
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

const MOST = 65_536;

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

t.test("source ranges, one for each port", (t) => {
  const message = `set KUBE-LOAD-BALANCER-SOURCE-CIDR has room for ${MOST} entries, and this Service has one more`;
  t.strictSame(findSetSizes(withRanges(MOST), "ipvs"), []);
  t.strictSame(findSetSizes(withRanges(MOST + 1), "ipvs"), [["Service ns/s", message]]);
  t.strictSame(findSetSizes(withRanges(MOST + 1), "iptables"), [], "iptables mode has no sets");
  t.end();
});

t.test("a load balancer for everyone needs no entry for ranges", (t) => {
  t.strictSame(findSetSizes({ ...withRanges(0), sourceRanges: "everyone" }, "ipvs"), []);
  t.end();
});

t.test("external IPs under each policy, whose names are cut for IPv6", (t) => {
  const externalIPs = Array.from({ length: MOST + 1 }, (_, index) => `2001:db8::${index.toString(16)}`);
  const service = buildService({ clusterIP: "fd00::1", externalIPs, ports: [buildPort()] });
  const names = findSetSizes(service, "ipvs").map(([, message]) => /KUBE-\S+/.exec(message ?? "")?.[0]);
  t.strictSame(names, ["KUBE-6-IPVS-IPS", "KUBE-6-EXTERNAL-IP"]);
  const local = findSetSizes({ ...service, externalTrafficPolicy: "Local" }, "ipvs");
  t.match(local.at(-1), [/Service/, /KUBE-6-EXTERNAL-IP-LOCAL/]);
  t.end();
});
