// Decoding of the kernel's own messages about ipsets.
import fc from "fast-check";
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import { attribute, nested } from "../../src/kernel/attributes.ts";
import { joinParts, readProtocols, readRevisions, readSetPart, type SetPart } from "../../src/kernel/ipset-answer.ts";
import { entryRequest } from "../../src/kernel/ipset-codec.ts";
import type { IpSet } from "../../src/state/ip-set.ts";
import { parseEntry } from "../../src/state/set-entry.ts";
import { arbitrarySet } from "../support/arbitrary-sets.ts";
import { ipsetFixture } from "../support/ipset-tool.ts";
import { takeSeed } from "../support/seed.ts";

const HEAD = Buffer.of(2, 0, 0, 0);
const NAME = attribute(2, Buffer.from("P\0"));

const FIXTURES = [
  ["hash-ip-v6", ["::1.2.3.4", "fd00:96::7"]],
  ["hash-ip-port-v4", ["10.96.0.10,udp:53", "10.96.1.1,tcp:80", "10.96.1.4,sctp:36412"]],
  ["hash-ip-port-ip-v4", ["10.71.1.5,tcp:8080,10.71.1.5"]],
  ["hash-ip-port-net-v4", ["203.0.113.5,tcp:443,192.0.2.0/24", "203.0.113.5,tcp:443,198.51.100.77"]],
  ["exception-v6", ["2001:db8::5,tcp:443,2001:db8:1::/48 nomatch"]],
  ["bitmap-port", ["0", "31080"]],
  ["empty", []],
] as const;

for (const [name, entries] of FIXTURES) {
  const { bytes, comments } = ipsetFixture(name);
  t.test(`read: ${comments[0]}`, async (t) => {
    const set = ownSet([readSetPart(bytes)]);
    const [, , made, type, ...options] = comments[1]?.split(" ") ?? [];
    const inet = options.includes("inet6") ? "inet6" : "inet";
    t.strictSame([set?.name, set?.type, set?.family], [made, type, type === "bitmap:port" ? "none" : inet]);
    t.strictSame([...(set?.entries ?? [])].sort(), entries);
  });
}

/** The set of these parts, which is of a type of ours and has no option. */
function ownSet(parts: readonly SetPart[]): IpSet | undefined {
  const set = joinParts(parts);
  if (set && "options" in set) throw new Error("a set of another type");
  return set;
}

for (const [name, made] of [
  ["other-type", { type: "hash:net", family: "inet", options: [] }],
  ["other-options", { type: "hash:ip", family: "inet", options: ["timeout 60", "counters"] }],
] as const) {
  const { bytes, comments } = ipsetFixture(name);
  t.test(`a set that is none of ours is described: ${comments[0]}`, async (t) => {
    t.match(readSetPart(bytes).made, made);
    t.match(joinParts([readSetPart(bytes)]), made);
  });
}

t.test("each option of a set is named", async (t) => {
  const data = [attribute(0x4008, Buffer.of(0, 0, 0, 0x60)), attribute(0x400b, Buffer.alloc(4))];
  const masks = [attribute(0x400c, Buffer.alloc(4)), attribute(20, Buffer.of(24))];
  const head = [attribute(3, Buffer.from("hash:ip\0")), attribute(5, Buffer.of(10)), nested(7, ...data, ...masks)];
  t.match(readSetPart(Buffer.concat([HEAD, NAME, ...head])).made, {
    type: "hash:ip",
    family: "inet6",
    options: ["forceadd", "skbinfo", "markmask", "bitmask", "netmask"],
  });
  const odd = [attribute(3, Buffer.from("hash:ip\0")), attribute(5, Buffer.of(7)), nested(7)];
  t.match(readSetPart(Buffer.concat([HEAD, NAME, ...odd])).made, { type: "hash:ip", family: "7", options: [] });
});

t.test("a bitmap of another range is read with its range", async (t) => {
  const { bytes } = ipsetFixture("other-range");
  t.match(ownSet([readSetPart(bytes)]), { type: "bitmap:port", range: /^\d+-\d+$/ });
});

t.test("a set of another size is told with it", async (t) => {
  const { bytes } = ipsetFixture("other-size");
  t.match(joinParts([readSetPart(bytes)]), { type: "hash:ip,port", maxEntries: 1000 });
});

t.test("a large set comes in parts", async (t) => {
  const first = readSetPart(ipsetFixture("hash-ip-port-v4").bytes);
  const entry = nested(
    7,
    nested(1, attribute(0x4001, Buffer.of(10, 0, 0, 1))),
    attribute(0x4004, Buffer.of(0, 7)),
    attribute(7, Buffer.of(6)),
  );
  const next = readSetPart(Buffer.concat([HEAD, NAME, nested(8, entry)]));
  t.strictSame(next, { name: "P", entries: [{ address: "10.0.0.1", port: 7, protocol: 6 }] });
  t.equal(ownSet([first, next])?.entries.size, 4);
  t.ok(ownSet([first, next])?.entries.has("10.0.0.1,tcp:7"));
  t.equal(joinParts([]), undefined);
});

const IPV4: SetPart["made"] = { name: "N", type: "hash:ip,port,net", family: "inet" };
const WHOLE = { address: "10.0.0.1", port: 1, protocol: 6, second: "10.0.0.0", prefix: 8 };

for (const [name, entry] of [
  ["without an address", { ...WHOLE, address: undefined }],
  ["without a port", { ...WHOLE, port: undefined }],
  ["without a protocol", { ...WHOLE, protocol: undefined }],
  ["without a network", { ...WHOLE, second: undefined }],
  ["without a prefix length", { ...WHOLE, prefix: undefined }],
  ["with an address of the other family", { ...WHOLE, address: "fd00::1" }],
  ["with a network of the other family", { ...WHOLE, second: "fd00::" }],
  ["with a prefix length that is none", { ...WHOLE, prefix: 33 }],
] as const) {
  t.test(`refused: an entry ${name}`, async (t) => {
    const parts = Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
    t.throws(() => joinParts([{ name: "N", made: IPV4, entries: [parts] }]), KernelError);
  });
}

for (const [name, message] of [
  ["nothing", Buffer.alloc(0)],
  ["no name", HEAD],
  ["a type without a family", Buffer.concat([HEAD, NAME, attribute(3, Buffer.from("hash:ip\0"))])],
  ["a port of four bytes", Buffer.concat([HEAD, NAME, nested(8, nested(7, attribute(4, Buffer.alloc(4))))])],
  [
    "an address of three bytes",
    Buffer.concat([HEAD, NAME, nested(8, nested(7, nested(1, attribute(1, Buffer.alloc(3)))))]),
  ],
  ["an entry that is cut off", Buffer.concat([HEAD, NAME, nested(8, Buffer.of(9, 0, 7, 0))])],
] as const) {
  t.test(`refused: ${name}`, async (t) => {
    t.throws(() => readSetPart(message), KernelError);
  });
}

t.test("ranges", async (t) => {
  const parts = [HEAD, attribute(1, Buffer.of(7)), attribute(4, Buffer.of(6)), attribute(10, Buffer.of(1))];
  t.strictSame(readProtocols(Buffer.concat(parts)), { least: 1, newest: 7 });
  t.strictSame(readRevisions(Buffer.concat(parts)), { least: 1, newest: 6 });
  t.throws(() => readRevisions(Buffer.concat(parts.slice(0, 2))), KernelError);
});

t.test("what is sent is what is read, whatever it is", async (t) => {
  const seed = takeSeed();
  const property = fc.property(arbitrarySet(20), ({ entries, ...header }) => {
    const parts = [...entries].map((entry) => parseEntry(header, entry) ?? {});
    const { payload } = entryRequest("add", header, parts);
    const read = readSetPart(Buffer.from(payload));
    const set = ownSet([{ ...read, made: header }]);
    return read.name === header.name && [...(set?.entries ?? [])].join() === [...entries].join();
  });
  t.doesNotThrow(() => fc.assert(property, { seed, numRuns: 500 }));
});

t.test("any bytes, and any damage to real ones, give a set whose entries can be sent back, or a refusal", async (t) => {
  const seed = takeSeed();
  const isSound = (message: Buffer): boolean => {
    try {
      const set = joinParts([readSetPart(message)]);
      if (set === undefined || "options" in set) return true;
      // An IPv4-mapped address is told, but is no entry of ours.
      return [...set.entries].every((entry) => entry.includes("::ffff:") || parseEntry(set, entry) !== undefined);
    } catch (error) {
      return error instanceof KernelError;
    }
  };
  const random = fc.property(fc.uint8Array({ maxLength: 200 }), (all) => isSound(Buffer.from([2, 0, 0, 0, ...all])));
  const damage = fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { minLength: 1, maxLength: 4 });
  const source = fc.constantFrom(...FIXTURES.map(([name]) => ipsetFixture(name).bytes));
  const damaged = fc.property(source, damage, fc.nat(400), (whole, places, end) => {
    const message = Buffer.from(whole);
    for (const [at, value] of places) if (at < message.length) message[at] = value;
    return isSound(message.subarray(0, end));
  });
  t.doesNotThrow(() => fc.assert(random, { seed, numRuns: 3000 }));
  t.doesNotThrow(() => fc.assert(damaged, { seed, numRuns: 5000 }));
});
