import t from "tap";
import { chainHash } from "../../../src/backends/iptables/chain-names.js";
// The first five are from kube-proxy's own test data.
const KNOWN = [
    ["ns1/svc1:p80tcp", "XPGD46QRK7WJZT7O"],
    ["ns1/svc1:p80tcp10.180.0.1:80", "SXIVWICOYRO3J4NJ"],
    ["ns5/svc5:p80tcp", "NUKIZ6OKUXPJNT4C"],
    ["ns4/svc4:p80tcp10.180.0.5:80", "C6EBXVWJJZMIWKLZ"],
    ["ns3/svc3:p8081tcp203.0.113.4:8081", "RUVVH7YV3PHQBDOS"],
    ["infra/registrytcp", "AUPXPHPWCH7J36SN"],
    ["game/lobby:syncudp", "VTCS42HV2ZPMJGXD"],
    ["telco/smf:n4sctp10.244.5.6:38412", "MIKD6CDSDI3L3AXE"],
    ["web/six:tlstcp[fd00:244:0:1::22]:8443", "4TDTIOQKV2MN4AM5"],
];
t.test("chains have the names that kube-proxy gives them", async (t) => {
    for (const [text, name] of KNOWN)
        t.equal(chainHash(text), name, text);
});
