import t from "tap";
import { cidrContains, parseCidr } from "../../src/net/cidr.js";
const READ = [
    ["masked", "192.0.2.77/24", "192.0.2.0/24"],
    ["leading zeros", "010.1.2.3/08", "10.0.0.0/8"],
    ["IPv6 masked", "fd00:244::1/56", "fd00:244::/56"],
    ["everything", "0.0.0.0/0", "0.0.0.0/0"],
    ["everything in IPv6", "::/0", "::/0"],
    ["one address", "10.0.0.1/32", "10.0.0.1/32"],
    ["a mapped range is IPv4", "::ffff:10.1.0.0/104", "10.0.0.0/8"],
    ["a mapped range wider than IPv4", "::ffff:10.0.0.0/90", undefined],
    ["no length", "10.0.0.1", undefined],
    ["a length too long", "10.0.0.0/33", undefined],
    ["an IPv6 length too long", "fd00::/129", undefined],
    ["a negative length", "10.0.0.0/-1", undefined],
    ["a length of blanks", "10.0.0.0/ 8", undefined],
    ["two lengths", "10.0.0.0/8/8", undefined],
    ["a bad address", "10.0.0/8", undefined],
    ["nothing", "", undefined],
];
t.test("ranges are read leniently and printed masked", async (t) => {
    for (const [name, text, canonical] of READ)
        t.equal(parseCidr(text)?.text, canonical, `${name}: ${text}`);
    t.equal(parseCidr("10.0.0.0/08")?.prefix, 8);
});
t.test("a range holds addresses of its own family only", async (t) => {
    t.ok(cidrContains("10.0.0.0/8", "10.255.255.255"));
    t.notOk(cidrContains("10.0.0.0/8", "11.0.0.0"));
    t.ok(cidrContains("fd00::/8", "fdff::1"));
    t.notOk(cidrContains("::/0", "10.0.0.1"));
    t.notOk(cidrContains("0.0.0.0/0", "fd00::1"));
});
