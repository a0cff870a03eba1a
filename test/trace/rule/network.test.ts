// Tests parsing networks.
import t from "tap";
import { parseAddressBits, parseNetwork } from "../../../src/trace/rule/network.ts";

const ALL_SIX = 2n ** 128n - 1n;

const NETWORKS: readonly [string, string, ReturnType<typeof parseNetwork>][] = [
  ["a prefix", "10.1.0.0/16", { family: "IPv4", address: 0x0a01_0000n, mask: 0xffff_0000n }],
  ["host bits are cut", "10.1.2.3/16", { family: "IPv4", address: 0x0a01_0000n, mask: 0xffff_0000n }],
  ["one address", "10.0.0.1/32", { family: "IPv4", address: 0x0a00_0001n, mask: 0xffff_ffffn }],
  ["one address without length", "10.0.0.1", { family: "IPv4", address: 0x0a00_0001n, mask: 0xffff_ffffn }],
  ["everything", "0.0.0.0/0", { family: "IPv4", address: 0n, mask: 0n }],
  ["a mask with a hole", "10.0.3.0/255.0.255.0", { family: "IPv4", address: 0x0a00_0300n, mask: 0xff00_ff00n }],
  ["IPv6", "fd00::/8", { family: "IPv6", address: 0xfdn << 120n, mask: 0xffn << 120n }],
  ["one address of IPv6", "::1/128", { family: "IPv6", address: 1n, mask: ALL_SIX }],
  ["IPv6 in dotted spelling", "::1.2.3.4/128", { family: "IPv6", address: 0x0102_0304n, mask: ALL_SIX }],
  ["IPv4 mapped into IPv6", "::ffff:1.2.3.4", { family: "IPv6", address: 0xffff_0102_0304n, mask: ALL_SIX }],
  [
    "a mask of IPv6 with a hole",
    "fd00::/ffff:0:ffff::",
    { family: "IPv6", address: 0xfd00n << 112n, mask: (0xffffn << 112n) | (0xffffn << 80n) },
  ],
  ["a host name", "node-a", undefined],
  ["a length that is too long", "10.0.0.0/33", undefined],
  ["a mask of the other family", "10.0.0.0/ffff::", undefined],
  ["a mask that is none", "10.0.0.0/x", undefined],
  ["two lengths", "10.0.0.0/8/8", undefined],
  ["nothing", "", undefined],
];

for (const [name, text, network] of NETWORKS) {
  t.test(name, async (t) => {
    t.strictSame(parseNetwork(text), network);
  });
}

t.test("an address that is none", async (t) => {
  t.equal(parseAddressBits("10.0.0.256"), undefined);
});
