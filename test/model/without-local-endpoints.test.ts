// Tests of the count of ServicePorts, in IPVS mode of Services, without an endpoint on this node.
import t from "tap";
import { withoutLocalEndpoints } from "../../src/model/without-local-endpoints.ts";
import { worldOf } from "../../src/model/world.ts";
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

const HERE = buildEndpoint("10.1.0.1", { nodeName: "n1" });
const ELSEWHERE = buildEndpoint("10.1.0.2", { nodeName: "n2" });
const INTERNAL = { internalTrafficPolicy: "Local" } as const;
const EXTERNAL = { type: "NodePort", externalTrafficPolicy: "Local", ports: [buildPort({ nodePort: 31000 })] } as const;
const NOWHERE_OUTSIDE = { ...EXTERNAL, ports: [buildPort()] };

const CASES = [
  { name: "Cluster policies", service: {}, endpoints: [ELSEWHERE], count: [0, 0] },
  { name: "internal Local, endpoint elsewhere", service: INTERNAL, endpoints: [ELSEWHERE], count: [1, 0] },
  { name: "external Local, endpoint elsewhere", service: EXTERNAL, endpoints: [ELSEWHERE], count: [0, 1] },
  { name: "both Local", service: { ...INTERNAL, ...EXTERNAL }, endpoints: [ELSEWHERE], count: [1, 1] },
  { name: "both Local, endpoint here", service: { ...INTERNAL, ...EXTERNAL }, endpoints: [HERE], count: [0, 0] },
  { name: "both Local, no endpoint at all", service: { ...INTERNAL, ...EXTERNAL }, endpoints: [], count: [0, 0] },
  { name: "external Local without an outside", service: NOWHERE_OUTSIDE, endpoints: [ELSEWHERE], count: [0, 1] },
] as const;

for (const { name, service, endpoints, count } of CASES) {
  t.test(name, async (t) => {
    const [internal, external] = count;
    t.strictSame(counted(buildRecord(buildService(service), buildSlice(endpoints))), { internal, external });
  });
}

t.test("ServicePorts are counted, not Services", async (t) => {
  const names = ["http", "tls"];
  const ports = names.map((name) => buildPort({ name }));
  const slice = buildSlice([ELSEWHERE], { ports: names.map((name) => ({ name, protocol: "TCP", port: 8080 })) });
  t.strictSame(counted(buildRecord(buildService({ ...INTERNAL, ports }), slice)), { internal: 2, external: 0 });
});

t.test("in IPVS mode Services are counted, each for every policy of it that is Local", async (t) => {
  const names = ["http", "tls"];
  const slice = (endpoint: typeof HERE) =>
    buildSlice([endpoint], { ports: names.map((name) => ({ name, protocol: "TCP", port: 8080 })) });
  const ports = (nodePort?: number) =>
    names.map((name, index) => buildPort({ name, ...(nodePort && { nodePort: nodePort + index }) }));
  const count = (service: Parameters<typeof buildService>[0], endpoint = ELSEWHERE) =>
    counted(buildRecord(buildService(service), slice(endpoint)), "ipvs");
  const both = { ...INTERNAL, ...EXTERNAL };
  t.strictSame(count({ ...INTERNAL, ports: ports() }), { internal: 1, external: 0 });
  t.strictSame(count({ ...EXTERNAL, ports: ports(31000) }), { internal: 0, external: 1 });
  t.strictSame(count({ ...both, ports: ports(31000) }), { internal: 1, external: 1 });
  t.strictSame(count({ ...both, ports: ports() }), { internal: 1, external: 1 }, "its cluster IP counts for both");
  t.strictSame(count({ ...EXTERNAL, ports: ports() }), { internal: 0, external: 0 }, "no virtual server outside");
  t.strictSame(count({ ...both, ports: ports(31000) }, HERE), { internal: 0, external: 0 });
});

function counted(record: ReturnType<typeof buildRecord>, mode: "iptables" | "ipvs" = "iptables") {
  const input = { nodeName: "n1", options: buildOptions({ mode }), facts: buildFacts(), family: "IPv4" } as const;
  return withoutLocalEndpoints(worldOf({ snapshot: buildSnapshot([record]), ...input }));
}
