import fc from "fast-check";
import t from "tap";
import { addressBytes, addressText } from "../../src/kernel/address-bytes.ts";
import { parseAddress } from "../../src/net/address.ts";
import { takeSeed } from "../support/seed.ts";

for (const [text, hex] of [
  ["10.96.0.10", "0a60000a"],
  ["0.0.0.0", "00000000"],
  ["255.255.255.255", "ffffffff"],
  ["::", "00000000000000000000000000000000"],
  ["::1", "00000000000000000000000000000001"],
  ["fe80::", "fe800000000000000000000000000000"],
  ["fd00:96::10", "fd000096000000000000000000000010"],
  ["2001:db8:0:1:1:1:1:1", "20010db8000000010001000100010001"],
  ["2001:0:0:1::1", "20010000000000010000000000000001"],
  ["2001:db8::1:0:0:1", "20010db8000000000001000000000001"],
  ["1:2:3:4:5:6:7:8", "00010002000300040005000600070008"],
] as const) {
  t.test(text, async (t) => {
    t.equal(addressText(Buffer.from(hex, "hex")), text);
    t.equal(Buffer.from(addressBytes(text)).toString("hex"), hex);
  });
}

t.test("an IPv4 address inside of IPv6 is not taken for IPv4", async (t) => {
  t.equal(addressText(Buffer.from("00000000000000000000ffff0a60000a", "hex")), "::ffff:a60:a");
});

t.test("any address is printed as everywhere in the house, and gives its bytes back", async (t) => {
  const seed = takeSeed();
  // Mostly zeros, so that there are runs of them.
  const group = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(0xffff) });
  const property = fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
    const bytes = Uint8Array.from(groups.flatMap((value) => [value >> 8, value & 255]));
    const text = addressText(bytes);
    const known = parseAddress(groups.map((value) => value.toString(16)).join(":"));
    const same = known?.family === "IPv4" || known?.text === text;
    return same && Buffer.from(addressBytes(text)).equals(bytes);
  });
  t.doesNotThrow(() => fc.assert(property, { seed, numRuns: 3000 }));
});
