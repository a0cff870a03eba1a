// Are addresses and ranges of them told apart by octal digits?
import t from "tap";
import { addressDigits, rangeOfDigits } from "../../src/net/address-digits.ts";

const ADDRESSES: readonly [address: string, digits: string][] = [
  ["0.0.0.0", "00000000000"],
  ["10.96.0.1", "01230000001"],
  ["255.255.255.255", "37777777777"],
  ["::", "0".repeat(43)],
  ["::1", `${"0".repeat(42)}1`],
  ["ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", `3${"7".repeat(42)}`],
  ["::ffff:192.0.2.1", "7777770000001001".padStart(43, "0")],
];

for (const [address, digits] of ADDRESSES) {
  const family = address.includes(":") ? "IPv6" : "IPv4";
  t.test(address, async (t) => {
    t.equal(addressDigits(address).length, family === "IPv4" ? 11 : 43);
    t.equal(addressDigits(address), digits);
    const whole = rangeOfDigits(digits, family);
    t.equal(whole.prefix, family === "IPv4" ? 32 : 128, "all digits are one address");
    t.equal(addressDigits(whole.address), digits, "which reads back");
  });
}

t.test("a range holds the addresses that begin with its digits, at every depth", async (t) => {
  for (const [address, family, ranges] of [
    ["203.0.113.77", "IPv4", ["192.0.0.0/2", "200.0.0.0/5", "203.0.0.0/8", "203.0.0.0/11", "203.0.0.0/14"]],
    ["fd00:96::8:4d", "IPv6", ["c000::/2", "f800::/5", "fd00::/8", "fd00::/11", "fd00::/14"]],
  ] as const) {
    const digits = addressDigits(address);
    const found = ranges.map((_, index) => rangeOfDigits(digits.slice(0, index + 1), family));
    t.strictSame(
      found.map(({ address, prefix }) => `${address}/${prefix}`),
      ranges,
    );
    for (let depth = 1; depth <= digits.length; depth++) {
      const { address: first, prefix } = rangeOfDigits(digits.slice(0, depth), family);
      t.equal(prefix, 3 * depth - 1);
      t.equal(addressDigits(first), digits.slice(0, depth).padEnd(digits.length, "0"), `${first}/${prefix}`);
    }
  }
});
