// What does a ServicePort put into the sets, where the golden files do not say it already?
import t from "tap";
import type { Service } from "../../../src/api/objects.ts";
import { entriesOf } from "../../../src/backends/ipvs/entries.ts";
import { virtualServersOf } from "../../../src/backends/ipvs/virtual-servers.ts";
import { knownServiceOf } from "../../../src/model/known-service.ts";
import { buildPort, buildRecord, buildService } from "../../support/build.ts";

const NODE = {
  family: "IPv4",
  nodeIP: "192.0.2.10",
  scheduler: "rr",
  strictARP: false,
  excludeCIDRs: [],
  keepReusedPorts: false,
  nodeAddresses: ["192.0.2.10"],
  nodePortAddresses: ["192.0.2.10"],
} as const;

const BALANCED: Partial<Service> = {
  type: "LoadBalancer",
  ingressVIPs: ["203.0.113.5"],
  externalTrafficPolicy: "Local",
  healthCheckNodePort: 32100,
};

t.test("source ranges of which none could be read let nobody in, and the node neither", async (t) => {
  t.strictSame(
    texts({ ...BALANCED, sourceRanges: [] }).filter((text) => text.startsWith("LOAD-BALANCER")),
    [
      "LOAD-BALANCER 203.0.113.5,tcp:80",
      "LOAD-BALANCER-LOCAL 203.0.113.5,tcp:80",
      "LOAD-BALANCER-FW 203.0.113.5,tcp:80",
    ],
  );
});

t.test("a nodePort that answers nowhere takes the health check port with it", async (t) => {
  const service = { ...BALANCED, ports: [buildPort({ nodePort: 31080 })] };
  const open = ["NODE-PORT-TCP 31080", "NODE-PORT-LOCAL-TCP 31080", "HEALTH-CHECK-NODE-PORT 32100"];
  t.strictSame(texts(service).slice(-3), open);
  t.notOk(texts(service, []).some((text) => text.includes("PORT")));
});

t.test("without a nodePort the health check port is open wherever nodePorts answer", async (t) => {
  t.ok(texts(BALANCED, []).includes("HEALTH-CHECK-NODE-PORT 32100"));
});

t.test("an address that is given twice is one virtual server in the end, under the last policy", async (t) => {
  const [traffic] = trafficsOf({ externalIPs: ["203.0.113.5"], ingressVIPs: ["203.0.113.5"] });
  const addresses = traffic && virtualServersOf(traffic, NODE).map(({ address }) => address);
  t.strictSame(addresses, ["10.0.0.1", "203.0.113.5", "203.0.113.5"]);
});

function texts(service: Partial<Service>, nodePortAddresses: readonly string[] = NODE.nodePortAddresses) {
  return trafficsOf(service)
    .flatMap((traffic) => entriesOf(traffic, { ...NODE, nodePortAddresses }))
    .map(({ role, entry }) => `${role} ${entry}`);
}

function trafficsOf(service: Partial<Service>) {
  const viewpoint = { family: "IPv4", nodeName: "n1", zone: "", allowServiceExternalIPs: true, ipvs: true } as const;
  return knownServiceOf(buildRecord(buildService(service)), viewpoint).ports.map(({ traffic }) => traffic);
}
