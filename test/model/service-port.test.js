// What does a Service come to, in each family?
import t from "tap";
import { sameServicePort, servicePortsOf } from "../../src/model/service-port.js";
import { FAMILIES } from "../../src/net/family.js";
import { buildPort, buildService } from "../support/build.js";
const DUAL = { clusterIP: "10.0.0.1", clusterIPs: ["10.0.0.1", "fd00::1"] };
const ON = { allowServiceExternalIPs: true };
const OFF = { allowServiceExternalIPs: false };
const CASES = [
    {
        name: "34 dual stack with external IPs of both families",
        service: { ...DUAL, externalIPs: ["1.2.3.4", "2001::5"] },
        IPv4: { text: "ns/s:http", protocol: "TCP", clusterIP: "10.0.0.1", port: 80, externalIPs: ["1.2.3.4"] },
        IPv6: { text: "ns/s:http", protocol: "TCP", clusterIP: "fd00::1", port: 80, externalIPs: ["2001::5"] },
    },
    {
        name: "35 ipFamilies goes before clusterIP",
        service: { clusterIP: "10.0.0.1", ipFamilies: ["IPv6"], clusterIPs: ["fd00::1"] },
        IPv4: null,
        IPv6: { clusterIP: "fd00::1" },
    },
    {
        name: "36 clusterIP alone, families unsaid",
        service: { clusterIP: "10.0.0.1", ipFamilies: [], clusterIPs: [] },
        IPv4: { clusterIP: "10.0.0.1" },
        IPv6: null,
    },
    {
        name: "families said, but clusterIPs left out",
        service: { clusterIP: "10.0.0.1", ipFamilies: ["IPv4"], clusterIPs: [] },
        IPv4: null,
        IPv6: null,
    },
    { name: "37 ExternalName with a left-over clusterIP", service: { type: "ExternalName" }, IPv4: null, IPv6: null },
    { name: "38 headless", service: { clusterIP: "None", ipFamilies: ["IPv4"] }, IPv4: null, IPv6: null },
    { name: "no cluster IP yet", service: { clusterIP: "", ipFamilies: [] }, IPv4: null, IPv6: null },
    { name: "another proxy's Service", service: { ...DUAL, foreignProxy: true }, IPv4: null, IPv6: null },
    {
        name: "39 LoadBalancer whose VIP is IPv4",
        service: { ...DUAL, type: "LoadBalancer", ingressVIPs: ["5.5.5.6"], ports: [buildPort({ nodePort: 30080 })] },
        IPv4: { loadBalancerVIPs: ["5.5.5.6"], nodePort: 30080 },
        IPv6: { loadBalancerVIPs: [], nodePort: 30080 },
    },
    {
        name: "40 LoadBalancer without nodePorts",
        service: { type: "LoadBalancer", ingressVIPs: ["5.5.5.5"] },
        IPv4: { nodePort: 0, loadBalancerVIPs: ["5.5.5.5"], reachableFromOutside: true },
        IPv6: null,
    },
    {
        name: "a VIP and a nodePort count whatever the type",
        service: { ingressVIPs: ["5.5.5.5", "5.5.5.4"], ports: [buildPort({ nodePort: 30080 })] },
        IPv4: { nodePort: 30080, loadBalancerVIPs: ["5.5.5.5", "5.5.5.4"], reachableFromOutside: true },
        IPv6: null,
    },
    {
        name: "41 a zero range opens its family, the other keeps its own",
        service: { ...DUAL, sourceRanges: ["10.0.0.0/8", "0.0.0.0/0", "fd00::/8"] },
        IPv4: { sourceRanges: "everyone" },
        IPv6: { sourceRanges: ["fd00::/8"] },
    },
    {
        name: "42 ranges of one family leave the other open",
        service: { ...DUAL, sourceRanges: ["10.0.0.0/8"] },
        IPv4: { sourceRanges: ["10.0.0.0/8"] },
        IPv6: { sourceRanges: "everyone" },
    },
    {
        name: "ranges of which none could be read let nobody in",
        service: { ...DUAL, sourceRanges: [] },
        IPv4: { sourceRanges: [] },
        IPv6: { sourceRanges: [] },
    },
    {
        name: "a prefix that only ends in zero is no zero range",
        service: { sourceRanges: ["10.0.0.0/10", "192.0.2.0/30"] },
        IPv4: { sourceRanges: ["10.0.0.0/10", "192.0.2.0/30"] },
        IPv6: null,
    },
    {
        name: "43 LoadBalancer, policy Local, health check port",
        service: { ...DUAL, type: "LoadBalancer", externalTrafficPolicy: "Local", healthCheckNodePort: 31000 },
        IPv4: { externalPolicyLocal: true, healthCheckNodePort: 31000 },
        IPv6: { externalPolicyLocal: true, healthCheckNodePort: 31000 },
    },
    {
        name: "a LoadBalancer with policy Cluster has no health check port",
        service: { type: "LoadBalancer", healthCheckNodePort: 31000 },
        IPv4: { externalPolicyLocal: false, healthCheckNodePort: 0 },
        IPv6: null,
    },
    {
        name: "44 NodePort, policy Local: no health check port",
        service: { ...DUAL, type: "NodePort", externalTrafficPolicy: "Local", healthCheckNodePort: 31000 },
        IPv4: { externalPolicyLocal: true, healthCheckNodePort: 0 },
        IPv6: { externalPolicyLocal: true, healthCheckNodePort: 0 },
    },
    {
        name: "45 ClusterIP without external IPs cannot be Local outside",
        service: { ...DUAL, externalTrafficPolicy: "Local" },
        IPv4: { externalPolicyLocal: false, usesCluster: true, usesLocal: false },
        IPv6: { externalPolicyLocal: false },
    },
    {
        name: "47 affinity",
        service: { ...DUAL, affinitySeconds: 10800 },
        IPv4: { affinitySeconds: 10800 },
        IPv6: { affinitySeconds: 10800 },
    },
    {
        name: "48 the gate hides external IPs, yet they count as an outside address",
        service: { ...DUAL, externalIPs: ["1.2.3.4"], externalTrafficPolicy: "Local" },
        gates: OFF,
        IPv4: { externalIPs: [], externalPolicyLocal: true, reachableFromOutside: true, usesLocal: true },
        IPv6: { externalIPs: [], externalPolicyLocal: true, reachableFromOutside: false, usesLocal: false },
    },
    {
        name: "internal policy Local without an outside address uses only local endpoints",
        service: { internalTrafficPolicy: "Local" },
        IPv4: { internalPolicyLocal: true, reachableFromOutside: false, usesCluster: false, usesLocal: true },
        IPv6: null,
    },
    {
        name: "internal policy Local with an outside address uses both lists",
        service: { internalTrafficPolicy: "Local", externalIPs: ["1.2.3.4"] },
        IPv4: { internalPolicyLocal: true, reachableFromOutside: true, usesCluster: true, usesLocal: true },
        IPv6: null,
    },
];
for (const { name, service, gates = ON, ...expected } of CASES) {
    t.test(name, async (t) => {
        for (const family of FAMILIES) {
            const ports = servicePortsOf(buildService(service), family, gates);
            const wanted = expected[family];
            t.equal(ports.length, wanted === null ? 0 : 1, `${family}: number of ports`);
            if (wanted !== null)
                t.strictSame(ports, [{ ...ports[0], ...wanted }], family);
        }
    });
}
t.test("46 UDP and TCP on one number are two entries, nodePorts too", async (t) => {
    const service = buildService({
        ...DUAL,
        ports: [
            buildPort({ name: "dns-tcp", protocol: "TCP", port: 53, nodePort: 30053 }),
            buildPort({ name: "dns", protocol: "UDP", port: 53, nodePort: 30053 }),
        ],
    });
    for (const family of FAMILIES) {
        const seen = servicePortsOf(service, family, ON).map((port) => `${port.text} ${port.protocol} ${port.nodePort}`);
        t.same(seen, ["ns/s:dns UDP 30053", "ns/s:dns-tcp TCP 30053"], family);
    }
});
t.test("of two ports with one name and protocol the last counts", async (t) => {
    const ports = [buildPort({ port: 80 }), buildPort({ port: 81 }), buildPort({ port: 82, protocol: "UDP" })];
    const seen = servicePortsOf(buildService({ ports }), "IPv4", ON).map(({ protocol, port }) => `${protocol} ${port}`);
    t.same(seen, ["TCP 81", "UDP 82"]);
});
t.test("every change that reaches the kernel is noticed", async (t) => {
    const start = {
        type: "LoadBalancer",
        ports: [buildPort({ nodePort: 30080 })],
        externalIPs: ["1.2.3.4"],
        ingressVIPs: ["5.5.5.5"],
        sourceRanges: ["10.0.0.0/8"],
        healthCheckNodePort: 31000,
        externalTrafficPolicy: "Local",
    };
    const changes = {
        name: { name: "other" },
        protocol: { ports: [buildPort({ nodePort: 30080, protocol: "UDP" })] },
        clusterIP: { clusterIP: "10.0.0.2" },
        port: { ports: [buildPort({ nodePort: 30080, port: 81 })] },
        nodePort: { ports: [buildPort({ nodePort: 30081 })] },
        externalIPs: { externalIPs: ["1.2.3.5"] },
        ingressVIPs: { ingressVIPs: [] },
        sourceRanges: { sourceRanges: ["10.0.0.0/8", "11.0.0.0/8"] },
        "sourceRanges gone": { sourceRanges: "everyone" },
        affinity: { affinitySeconds: 10 },
        externalTrafficPolicy: { externalTrafficPolicy: "Cluster", healthCheckNodePort: 0 },
        internalTrafficPolicy: { internalTrafficPolicy: "Local" },
        healthCheckNodePort: { healthCheckNodePort: 31001 },
    };
    const before = only(start, "IPv4", ON);
    t.ok(sameServicePort(before, only(start, "IPv4", ON)), "nothing changed");
    const open = only({ ...start, sourceRanges: "everyone" }, "IPv4", ON);
    t.notOk(sameServicePort(open, before), "ranges where there were none");
    t.ok(sameServicePort(open, only({ ...start, sourceRanges: ["0.0.0.0/0"] }, "IPv4", ON)), "everyone in other words");
    for (const [what, change] of Object.entries(changes)) {
        t.notOk(sameServicePort(before, only({ ...start, ...change }, "IPv4", ON)), what);
    }
});
t.test("hiding the only outside address is noticed", async (t) => {
    const service = { externalIPs: ["1.2.3.4"] };
    const hidden = only(service, "IPv4", OFF);
    t.notOk(sameServicePort(hidden, only({}, "IPv4", OFF)), "still reachable from outside");
    t.notOk(sameServicePort(hidden, only(service, "IPv4", ON)), "the gate went on");
});
function only(service, family, gates) {
    const [port] = servicePortsOf(buildService(service), family, gates);
    if (port === undefined)
        throw new Error("no port");
    return port;
}
