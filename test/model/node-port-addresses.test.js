// At which addresses of a node do nodePorts answer?
import t from "tap";
import { nodeIPsOf } from "../../src/model/node-ips.js";
import { nodePortAddressesOf, nodePortRangesOf, servesLocalhost } from "../../src/model/node-port-addresses.js";
const DUAL = ["192.0.2.10", "2001:db8:a::10"];
// Entries | addresses of the Node | ranges of IPv4 | of IPv6 | does 127.0.0.1 answer where it is wanted?
const CASES = `
-                               | dual       | all                     | all                 | yes
192.0.2.0/24                    | dual       | 192.0.2.0/24            | all                 | no
192.0.2.77/24 198.18.0.0/15     | dual       | 192.0.2.0/24 198.18.0.0/15 | all              | no
2001:db8::/32                   | dual       | all                     | 2001:db8::/32       | yes
192.0.2.0/24 0.0.0.0/0          | dual       | all                     | all                 | yes
0.0.0.0/0 192.0.2.0/24          | dual       | all                     | all                 | yes
192.0.2.0/24 ::/0               | dual       | 192.0.2.0/24            | all                 | no
127.0.0.0/8                     | dual       | 127.0.0.0/8             | all                 | yes
127.0.0.1/32                    | dual       | 127.0.0.1/32            | all                 | yes
127.9.0.0/16 192.0.2.0/24       | dual       | 127.9.0.0/16 192.0.2.0/24 | all               | yes
112.0.0.0/4                     | dual       | 112.0.0.0/4             | all                 | yes
128.0.0.0/1                     | dual       | 128.0.0.0/1             | all                 | no
primary                         | dual       | 192.0.2.10/32           | 2001:db8:a::10/128  | no
primary                         | 192.0.2.10 | 192.0.2.10/32           | all                 | no
primary                         | fd00::1    | all                     | fd00::1/128         | yes
primary                         | -          | all                     | all                 | yes
localhost 192.0.2.0/24          | dual       | 192.0.2.0/24            | all                 | no
`;
for (const line of CASES.trim().split("\n")) {
    const [entries = "", node = "", IPv4 = "", IPv6 = "", localhost] = line.split("|").map((part) => part.trim());
    t.test(`${entries === "-" ? "no entry" : entries}, Node with ${node}`, async (t) => {
        const nodeIPs = nodeIPsOf(node === "dual" ? DUAL : list(node), "0.0.0.0");
        const four = nodePortRangesOf(list(entries), nodeIPs, "IPv4");
        const six = nodePortRangesOf(list(entries), nodeIPs, "IPv6");
        t.strictSame(four, IPv4 === "all" ? "all" : list(IPv4));
        t.strictSame(six, IPv6 === "all" ? "all" : list(IPv6));
        t.equal(servesLocalhost(true, four, "IPv4"), localhost === "yes");
        t.notOk(servesLocalhost(false, four, "IPv4"), "never when it is not wanted");
        t.notOk(servesLocalhost(true, six, "IPv6"), "never for IPv6");
    });
}
const ADDRESSES = [
    { interface: "lo", address: "127.0.0.1" },
    { interface: "lo", address: "::1" },
    { interface: "eth1", address: "198.18.0.7" },
    { interface: "eth0", address: "192.0.2.10" },
    { interface: "eth0", address: "192.0.2.9" },
    { interface: "eth0", address: "2001:db8:a::10" },
    { interface: "br0", address: "192.0.2.10" },
];
t.test("addresses inside the ranges, each once, sorted", async (t) => {
    t.strictSame(nodePortAddressesOf(ADDRESSES, ["192.0.2.0/24"], false), ["192.0.2.10", "192.0.2.9"]);
    t.strictSame(nodePortAddressesOf(ADDRESSES, ["192.0.2.9/32", "198.18.0.0/15"], false), ["192.0.2.9", "198.18.0.7"]);
    t.strictSame(nodePortAddressesOf(ADDRESSES, ["2001:db8::/32"], false), ["2001:db8:a::10"]);
});
t.test("no address inside the ranges: nodePorts answer nowhere", async (t) => {
    t.strictSame(nodePortAddressesOf(ADDRESSES, ["203.0.113.0/24"], false), []);
    t.strictSame(nodePortAddressesOf([], ["192.0.2.0/24"], false), []);
});
t.test("loopback only while localhost serves nodePorts", async (t) => {
    t.strictSame(nodePortAddressesOf(ADDRESSES, ["127.0.0.0/8"], true), ["127.0.0.1"]);
    t.strictSame(nodePortAddressesOf(ADDRESSES, ["127.0.0.0/8"], false), []);
    t.strictSame(nodePortAddressesOf(ADDRESSES, ["::1/128"], false), []);
});
t.test("no limit needs no addresses", async (t) => {
    t.equal(nodePortAddressesOf(ADDRESSES, "all", true), "all");
});
function list(text) {
    return text === "-" ? [] : text.split(" ");
}
