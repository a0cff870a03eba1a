// Which addresses does a node call its own?
import t from "tap";
import { isLoopback, nodeIPsOf } from "../../src/model/node-ips.js";
// Node IPs | bindAddress | primary family | IPv4 | IPv6
const CASES = `
-                                     | 0.0.0.0       | IPv4 | 127.0.0.1    | ::1
-                                     | fd00:4321::2  | IPv6 | 127.0.0.1    | fd00:4321::2
fd00:1234::1                          | 0.0.0.0       | IPv6 | 127.0.0.1    | fd00:1234::1
192.168.1.1                           | ::            | IPv4 | 192.168.1.1  | ::1
2001:db8::2 90.90.90.90               | 80.80.80.80   | IPv4 | 80.80.80.80  | 2001:db8::2
90.90.90.90 2001:db8::2               | ::1           | IPv6 | 90.90.90.90  | ::1
10.0.0.1 10.0.0.2 fd00::1 fd00::2     | 0.0.0.0       | IPv4 | 10.0.0.1     | fd00::1
10.0.0.1                              |               | IPv4 | 10.0.0.1     | ::1
10.0.0.1                              | localhost     | IPv4 | 10.0.0.1     | ::1
10.0.0.1 fd00::1                      | 010.0.0.009   | IPv4 | 10.0.0.9     | fd00::1
`;
for (const line of CASES.trim().split("\n")) {
    const [addresses = "", bindAddress = "", primary, IPv4, IPv6] = line.split("|").map((part) => part.trim());
    t.test(`Node with ${addresses}, bindAddress ${bindAddress || "empty"}`, async (t) => {
        const known = addresses === "-" ? [] : addresses.split(" ");
        t.strictSame(nodeIPsOf(known, bindAddress), { primary, ips: { IPv4, IPv6 } });
    });
}
t.test("loopback", async (t) => {
    for (const address of ["127.0.0.1", "127.255.0.9", "::1"])
        t.ok(isLoopback(address), address);
    for (const address of ["128.0.0.1", "12.7.0.1", "::", "::127.0.0.1", "1::1"])
        t.notOk(isLoopback(address), address);
});
