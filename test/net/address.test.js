import t from "tap";
import { familyOf, hostPort, kernelText, parseAddress, single } from "../../src/net/address.js";
const READ = [
    ["an IPv4 address", "10.96.0.1", "10.96.0.1"],
    ["leading zeros are decimal", "010.001.000.008", "10.1.0.8"],
    ["mapped IPv6 is IPv4", "::ffff:192.0.2.7", "192.0.2.7"],
    ["mapped IPv6 with leading zeros", "::FFFF:192.000.002.007", "192.0.2.7"],
    ["mapped IPv6 in groups", "::ffff:c000:207", "192.0.2.7"],
    ["IPv6 is compressed, lower case", "2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
    ["the longest run of zeros is compressed", "1:0:0:2:0:0:0:3", "1:0:0:2::3"],
    ["a single zero group stays", "2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
    ["a dotted tail", "64:ff9b::192.0.2.33", "64:ff9b::c000:221"],
    ["an IPv4-compatible address is IPv6", "::1.2.3.4", "::102:304"],
    ["nothing", "", undefined],
    ["three octets", "10.0.1", undefined],
    ["an octet too large", "10.0.0.256", undefined],
    ["a zone id", "fe80::1%eth0", undefined],
    ["a blank in front", " 10.0.0.1", undefined],
    ["a line end behind", "10.0.0.1\n", undefined],
    ["a port", "10.0.0.1:80", undefined],
    ["brackets", "[fd00::1]", undefined],
    ["a range", "10.0.0.0/8", undefined],
    ["an IPv6 range", "fd00::/8", undefined],
    ["nine groups", "1:2:3:4:5:6:7:8:9", undefined],
    ["two gaps", "1::2::3", undefined],
    ["a group of five digits", "::12345", undefined],
    ["a bad dotted tail", "::ffff:1.2.3.256", undefined],
    ["a name", "localhost", undefined],
];
t.test("addresses are read leniently and printed canonically", async (t) => {
    for (const [name, text, canonical] of READ)
        t.equal(parseAddress(text)?.text, canonical, `${name}: ${text}`);
});
t.test("the family goes with the canonical text", async (t) => {
    for (const text of ["10.0.0.1", "::ffff:10.0.0.1", "fd00::1"]) {
        const address = parseAddress(text);
        t.equal(address?.family, address && familyOf(address.text), text);
    }
});
t.test("an address with a port has brackets where it is IPv6", async (t) => {
    t.equal(hostPort("10.0.0.1", 80), "10.0.0.1:80");
    t.equal(hostPort("fd00::1", 80), "[fd00::1]:80");
});
t.test("the kernel's tools write the tail of an IPv4-compatible address dotted", async (t) => {
    t.equal(kernelText("::102:304"), "::1.2.3.4");
    t.equal(kernelText("::5:0"), "::0.5.0.0");
    t.equal(kernelText("::1"), "::1");
    t.equal(kernelText("fd00::102:304"), "fd00::102:304");
    t.equal(single("10.0.0.1"), "10.0.0.1/32");
    t.equal(single("::102:304"), "::1.2.3.4/128");
});
