// Tests decoding node facts.
import t from "tap";
import { InputError } from "../../src/errors.ts";
import { decodeNodeAddress, decodeNodeFacts } from "../../src/options/node-facts.ts";

const FULL = {
  addresses: [{ interface: "eth0", address: "192.0.2.010" }],
  iptablesVersion: "1.8.9",
  kernelVersion: "6.1.0-18-amd64",
  cpus: 4,
  counters: { invalidDropped: true, localhostNodePorts: false },
  tcpBeLiberal: true,
  families: ["IPv4"],
};

t.test("facts are read, addresses in canonical form", async (t) => {
  t.strictSame(decodeNodeFacts(FULL, {}), { ...FULL, addresses: [{ interface: "eth0", address: "192.0.2.10" }] });
  t.strictSame(decodeNodeFacts({}, {}), {});
  t.strictSame(decodeNodeFacts(null, {}), {}, "an empty file gives none");
});

const BAD: readonly [unknown, RegExp][] = [
  [{ ...FULL, cpus: 0 }, /^f\.yaml: cpus: /],
  [{ ...FULL, iptablesVersion: "new" }, /^f\.yaml: iptablesVersion: /],
  [
    { addresses: [{ interface: "eth0", address: "fe80::1%eth0" }] },
    /^f\.yaml: addresses\.0\.address: "fe80::1%eth0" is not an IP address/,
  ],
  [{ families: ["IPv5"] }, /^f\.yaml: families\.0: /],
  [{ colour: "red" }, /^f\.yaml: .*colour/],
  ["text", /^f\.yaml: /],
];

t.test("what is no fact is refused with its field", async (t) => {
  for (const [value, message] of BAD) {
    try {
      decodeNodeFacts(value, { source: "f.yaml" });
      t.fail(JSON.stringify(value));
    } catch (error) {
      t.ok(error instanceof InputError && message.test(error.message), `${error}`);
    }
  }
});

t.test("an address of a flag may name its interface", async (t) => {
  t.strictSame(decodeNodeAddress("eth0=192.0.2.7"), { interface: "eth0", address: "192.0.2.7" });
  t.strictSame(decodeNodeAddress("fd00::7"), { interface: "", address: "fd00::7" });
  t.throws(() => decodeNodeAddress("eth0=x"), /--node-address: "eth0=x" is not \[IFACE=\]ADDRESS/);
});
