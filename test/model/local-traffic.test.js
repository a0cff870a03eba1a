// How is pod traffic told from other traffic, in each mode?
import t from "tap";
import { localTrafficOf, sameLocalTraffic } from "../../src/model/local-traffic.js";
import { buildOptions } from "../support/build.js";
const OPTIONS = {
    clusterCIDRs: ["nonsense", "10.244.9.9/16", "fd00:244::/56", "10.99.0.0/16"],
    bridgeInterface: "cni0",
    interfaceNamePrefix: "veth",
};
const POD_CIDRS = ["fd00:1::/64", "10.1.0.0/24", "10.2.0.0/24"];
const CASES = [
    ["ClusterCIDR", { kind: "cidr", cidr: "10.244.0.0/16" }, { kind: "cidr", cidr: "fd00:244::/56" }],
    ["NodeCIDR", { kind: "cidr", cidr: "10.1.0.0/24" }, { kind: "cidr", cidr: "fd00:1::/64" }],
    ["BridgeInterface", { kind: "interface", interface: "cni0" }, { kind: "interface", interface: "cni0" }],
    ["InterfaceNamePrefix", { kind: "interface", interface: "veth+" }, { kind: "interface", interface: "veth+" }],
];
for (const [detectLocalMode, four, six] of CASES) {
    t.test(detectLocalMode, async (t) => {
        const options = buildOptions({ ...OPTIONS, detectLocalMode });
        t.strictSame(localTrafficOf(options, POD_CIDRS, "IPv4"), four);
        t.strictSame(localTrafficOf(options, POD_CIDRS, "IPv6"), six);
    });
}
t.test("a family without a CIDR has no local traffic", async (t) => {
    const options = buildOptions({ clusterCIDRs: ["10.244.0.0/16"] });
    t.equal(localTrafficOf(options, POD_CIDRS, "IPv6"), undefined);
    t.equal(localTrafficOf(buildOptions({ detectLocalMode: "NodeCIDR" }), [], "IPv4"), undefined);
});
t.test("every difference is noticed", async (t) => {
    const values = [
        undefined,
        { kind: "cidr", cidr: "10.0.0.0/8" },
        { kind: "cidr", cidr: "11.0.0.0/8" },
        { kind: "interface", interface: "cni0" },
        { kind: "interface", interface: "cni0+" },
    ];
    for (const [at, a] of values.entries()) {
        for (const [index, b] of values.entries()) {
            t.equal(sameLocalTraffic(a, b && { ...b }), at === index, `${JSON.stringify(a)} and ${JSON.stringify(b)}`);
        }
    }
});
