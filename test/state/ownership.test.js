import t from "tap";
import { isOurChain } from "../../src/state/ownership.js";
const CHAINS = [
    ["nat", "KUBE-SERVICES", true],
    ["nat", "KUBE-SEP-AAAAAAAAAAAAAAAA", true],
    ["nat", "KUBE-SVC-anything", true],
    ["nat", "KUBE-FW-AAAAAAAAAAAAAAAA", true],
    ["nat", "KUBE-FIREWALL", false],
    ["nat", "KUBE-MARK-DROP", false],
    ["nat", "DOCKER", false],
    ["filter", "KUBE-PROXY-FIREWALL", true],
    ["filter", "KUBE-FIREWALL", false],
    ["filter", "KUBE-SVC-AAAAAAAAAAAAAAAA", false],
    ["filter", "KUBE-KUBELET-CANARY", false],
    ["mangle", "KUBE-PROXY-CANARY", true],
    ["mangle", "KUBE-IPTABLES-HINT", false],
    ["mangle", "KUBE-KUBELET-CANARY", false],
    ["raw", "KUBE-PROXY-CANARY", false],
];
t.test("chains that only a node proxy makes are ours, kubelet's and all others are not", async (t) => {
    for (const [table, chain, ours] of CHAINS)
        t.equal(isOurChain(table, chain), ours, `${table} ${chain}`);
});
