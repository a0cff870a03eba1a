// What happens to traffic inside, and from outside, for each mix of policies and endpoints?
import t from "tap";
import type { Service } from "../../src/api/objects.ts";
import { type Endpoint, endpointsOf } from "../../src/model/endpoint.ts";
import { portKey } from "../../src/model/names.ts";
import { type ServicePort, servicePortsOf } from "../../src/model/service-port.ts";
import { type ServiceTraffic, sameTraffic, trafficOf } from "../../src/model/traffic.ts";
import { buildEndpoint, buildPort, buildService, buildSlice } from "../support/build.ts";

const HERE = { nodeName: "n1" };
const DRAINING = { ready: false, terminating: true };
const NODE = { nodeName: "n1", zone: "z1" };

const OUTSIDE: Partial<Service> = { type: "NodePort", ports: [buildPort({ nodePort: 30080 })] };
const INTERNAL: Partial<Service> = { internalTrafficPolicy: "Local" };
const EXTERNAL: Partial<Service> = { externalTrafficPolicy: "Local" };

const local = buildEndpoint("10.1.0.1", HERE);
const remote = buildEndpoint("10.1.0.2");
const localDying = buildEndpoint("10.1.0.1", { ...HERE, ...DRAINING });
const remoteDying = buildEndpoint("10.1.0.2", DRAINING);
const unready = buildEndpoint("10.1.0.3", { ready: false });

const CASES = [
  ["nothing there", OUTSIDE, [], "reject cluster", "reject cluster"],
  ["nothing usable", OUTSIDE, [unready], "reject cluster", "reject cluster"],
  ["nothing usable, strict", { ...OUTSIDE, ...INTERNAL, ...EXTERNAL }, [unready], "reject local", "reject local"],
  ["ordinary", OUTSIDE, [local, remote], "forward cluster", "forward cluster"],
  ["rollout gap", OUTSIDE, [remoteDying], "forward cluster", "forward cluster"],
  ["strict inside, one here", INTERNAL, [local, remote], "forward local", "forward cluster"],
  ["strict inside, none here", INTERNAL, [remote], "drop local", "forward cluster"],
  ["strict inside, dying here", INTERNAL, [localDying, remote], "forward local", "forward cluster"],
  ["strict inside, dying elsewhere", INTERNAL, [remoteDying], "drop local", "forward cluster"],
  ["strict outside, one here", { ...OUTSIDE, ...EXTERNAL }, [local, remote], "forward cluster", "forward local"],
  ["strict outside, none here", { ...OUTSIDE, ...EXTERNAL }, [remote], "forward cluster", "drop local"],
  ["strict outside, dying here", { ...OUTSIDE, ...EXTERNAL }, [localDying, remote], "forward cluster", "forward local"],
  ["both strict, none here", { ...OUTSIDE, ...INTERNAL, ...EXTERNAL }, [remote], "drop local", "drop local"],
  ["strict inside, open outside", { ...OUTSIDE, ...INTERNAL }, [remote], "drop local", "forward cluster"],
] as const;

for (const [name, service, endpoints, internal, external] of CASES) {
  t.test(name, async (t) => {
    const traffic = decide(service, endpoints);
    t.equal(`${traffic.internal.verdict} ${traffic.internal.endpoints}`, internal, "to the cluster IP");
    t.equal(`${traffic.external.verdict} ${traffic.external.endpoints}`, external, "from outside");
    t.equal(traffic.known, endpoints.length, "all endpoints are counted");
  });
}

t.test("the lists and the ServicePort are passed on", async (t) => {
  const port = onlyPort({ ...OUTSIDE, ...EXTERNAL });
  const traffic = trafficOf(port, merge([localDying, remote, unready]), NODE);
  t.equal(traffic.servicePort, port);
  t.strictSame(texts(traffic.cluster), ["10.1.0.2:8080"]);
  t.strictSame(texts(traffic.local), ["10.1.0.1:8080"]);
  t.strictSame(texts(traffic.reachable), ["10.1.0.1:8080", "10.1.0.2:8080"]);
  t.equal(traffic.usable, true);
  t.equal(traffic.known, 3);
});

t.test("every change that reaches the kernel is noticed", async (t) => {
  const service = { ...OUTSIDE, ...EXTERNAL };
  const before = decide(service, [local, remote]);
  t.ok(sameTraffic(before, decide(service, [local, remote])), "nothing changed");
  t.notOk(sameTraffic(before, decide({ ...service, affinitySeconds: 5 }, [local, remote])), "the Service");
  t.notOk(sameTraffic(before, decide(service, [local, remote, unready])), "how many are known");
  t.notOk(sameTraffic(before, decide(service, [local, buildEndpoint("10.1.0.9")])), "a remote endpoint");
  t.notOk(sameTraffic(before, decide(service, [buildEndpoint("10.1.0.1"), remote])), "where an endpoint is");
  t.notOk(sameTraffic(decide(service, [unready]), decide(service, [remote])), "whether anything is usable");
});

t.test("each list alone is noticed", async (t) => {
  const before: ServiceTraffic = decide(OUTSIDE, [local, remote]);
  for (const list of ["cluster", "local", "reachable"] as const) {
    t.notOk(sameTraffic(before, { ...before, [list]: [...before[list], ...before.cluster] }), list);
  }
});

t.test("what happens to an endpoint that gets no traffic is no change", async (t) => {
  t.ok(sameTraffic(decide({}, [remote, unready]), decide({}, [remote, { ...unready, serving: false }])));
});

t.test("in IPVS mode alone, endpoints on this node count whatever their state", async (t) => {
  const far = { ...unready, nodeName: "n2" };
  const near = { ...unready, nodeName: "n1" };
  const ipvs = (...endpoints: Parameters<typeof merge>[0]) =>
    trafficOf(onlyPort({}), merge(endpoints), { ...NODE, ipvs: true });
  t.strictSame(texts(ipvs(localDying, near, remote).onNode ?? []), ["10.1.0.1:8080", "10.1.0.3:8080"]);
  t.notOk(sameTraffic(ipvs(remote, far), ipvs(remote, near)), "one comes");
  t.ok(sameTraffic(ipvs(remote, near), ipvs(remote, { ...near, serving: false })), "its state");
  t.notOk("onNode" in decide({}, [remote, near]));
  t.ok(sameTraffic(decide({}, [remote, far]), decide({}, [remote, near])));
});

function decide(service: Partial<Service>, endpoints: Parameters<typeof merge>[0]): ServiceTraffic {
  return trafficOf(onlyPort(service), merge(endpoints), NODE);
}

function merge(endpoints: readonly ReturnType<typeof buildEndpoint>[]): readonly Endpoint[] {
  return endpointsOf([buildSlice(endpoints)], "IPv4", "n1").get(portKey("http", "TCP")) ?? [];
}

function onlyPort(service: Partial<Service>): ServicePort {
  const [port] = servicePortsOf(buildService(service), "IPv4", { allowServiceExternalIPs: true });
  if (port === undefined) throw new Error("no port");
  return port;
}

function texts(endpoints: readonly Endpoint[]): readonly string[] {
  return endpoints.map(({ text }) => text);
}
