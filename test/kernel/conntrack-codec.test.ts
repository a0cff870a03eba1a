// Tests of the conntrack codec against messages captured from a kernel.
import fc from "fast-check";
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import { attribute, nested, readAttributes } from "../../src/kernel/attributes.ts";
import { deleteRequest, isFound, readFlow, searchPayload } from "../../src/kernel/conntrack-codec.ts";
import type { Family } from "../../src/net/family.ts";
import type { UdpFlow } from "../../src/state/udp-flow.ts";
import { conntrackFixture } from "../support/hex.ts";
import { takeSeed } from "../support/seed.ts";

const UDP_FIXTURES: readonly (readonly [string, Family])[] = [
  ["translated-v4", "IPv4"],
  ["untranslated-v4", "IPv4"],
  ["masqueraded-v4", "IPv4"],
  ["translated-v6", "IPv6"],
];

const ZONES = ["zone-v4", "original-zone-v4", "reply-zone-v4"] as const;

function flowOf(name: string, family: Family): UdpFlow {
  const flow = readFlow(conntrackFixture(name).bytes, family);
  if (!flow) throw new Error(`${name} is no flow`);
  return flow;
}

function summary({ client, destination, server }: UdpFlow) {
  return [client.text, destination.text, server.text];
}

for (const [name, family, wanted] of [
  ["translated-v4", "IPv4", ["10.244.0.5:40000", "10.96.7.10:53", "10.244.1.22:8053"]],
  ["untranslated-v4", "IPv4", ["10.244.0.5:40001", "10.96.7.10:53", "10.96.7.10:53"]],
  ["masqueraded-v4", "IPv4", ["198.18.0.9:40002", "192.0.2.10:31053", "10.244.1.22:8053"]],
  ["translated-v6", "IPv6", ["[fd00:244::5]:40000", "[fd00:96::10]:53", "[fd00:244:0:1::22]:8053"]],
] as const) {
  t.test(`read: ${conntrackFixture(name).comments[0]}`, async (t) => {
    t.strictSame(summary(flowOf(name, family)), wanted);
  });
}

t.test("the kernel's number of an entry is kept", async (t) => {
  t.equal(flowOf("translated-v4", "IPv4").id, 0x1882a3d7);
});

t.test("TCP, ICMP, the other family and entries with a conntrack zone are ignored", async (t) => {
  for (const name of ZONES) t.equal(readFlow(conntrackFixture(name).bytes, "IPv4"), undefined, name);
  for (const name of ["tcp-v4", "icmp-v4"]) t.equal(readFlow(conntrackFixture(name).bytes, "IPv4"), undefined, name);
  t.equal(readFlow(conntrackFixture("translated-v6").bytes, "IPv4"), undefined);
  t.equal(readFlow(conntrackFixture("translated-v4").bytes, "IPv6"), undefined);
});

t.test("searches", async (t) => {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
  t.equal(hex(searchPayload("IPv4")), "02000000100001800c0002800500010011000000" + "0c0019800800010008000000");
  t.equal(
    hex(searchPayload("IPv4", { port: 53 })),
    "02000000180001801400028005000100110000000600030000350000" + "0c0019800800010028000000",
  );
  t.equal(
    hex(searchPayload("IPv4", { address: "10.96.7.10", port: 53 })),
    "02000000240001800c000180080002000a60070a1400028005000100110000000600030000350000" + "0c001980080001002a000000",
  );
  t.equal(
    hex(searchPayload("IPv6", { address: "fd00:96::10", port: 53 })),
    "0a000000180001801400028005000100110000000600030000350000" + "0c0019800800010028000000",
    "an address of IPv6 is looked at by us",
  );
});

t.test("what an old kernel gives in spite of the search is told from what was searched", async (t) => {
  const flow = flowOf("translated-v4", "IPv4");
  t.equal(isFound(flow, { port: 53 }), true);
  t.equal(isFound(flow, { address: "10.96.7.10", port: 53 }), true);
  t.equal(isFound(flow, { address: "10.96.7.11", port: 53 }), false);
  t.equal(isFound(flow, { port: 54 }), false);
});

for (const [name, family] of UDP_FIXTURES) {
  t.test(`delete: ${conntrackFixture(name).comments[0]}`, async (t) => {
    const { bytes } = conntrackFixture(name);
    const told = readAttributes(bytes.subarray(4));
    const { type, payload } = deleteRequest(flowOf(name, family));
    const asked = readAttributes(payload.subarray(4));
    t.equal(type, 0x102);
    t.equal(payload[0], bytes[0], "family");
    t.strictSame(asked.get(2), told.get(2), "way back");
    t.strictSame(asked.get(12), told.get(12), "number");
    t.strictSame([...asked.keys()], [2, 12], "no zone: the kernel searches zone 0");
  });
}

t.test("without a whole tuple nothing is deleted: the kernel would delete everything", async (t) => {
  const flow = flowOf("translated-v4", "IPv4");
  const ports = nested(2, attribute(1, Buffer.of(17)));
  for (const tuple of [Buffer.alloc(0), ports, flow.tuple.subarray(0, 20), flow.tuple.subarray(0, -3)]) {
    t.throws(() => deleteRequest({ ...flow, tuple }), KernelError, Buffer.from(tuple).toString("hex"));
  }
  t.throws(() => deleteRequest({ ...flow, family: "IPv6" }), KernelError, "a tuple of the other family");
  const tcp = Uint8Array.from(flow.tuple, (byte) => (byte === 17 ? 6 : byte));
  t.throws(() => deleteRequest({ ...flow, tuple: tcp }), { message: /without a tuple/ }, "a tuple of TCP");
});

t.test("a message that lacks what a flow must have is refused", async (t) => {
  const tuple = flowOf("translated-v4", "IPv4").tuple;
  const head = Buffer.of(2, 0, 0, 0);
  const [original, reply, id] = [nested(1, tuple), nested(2, tuple), attribute(12, Buffer.alloc(4))];
  t.type(readFlow(Buffer.concat([head, original, reply, id]), "IPv4"), "object", "all that it must have");
  for (const [name, parts] of [
    ["a header", []],
    ["its first direction", [head, reply, id]],
    ["its way back", [head, original, id]],
    ["a number", [head, original, reply]],
    ["a number of four bytes", [head, original, reply, attribute(12, Buffer.alloc(2))]],
    ["addresses of its family", [Buffer.of(10, 0, 0, 0), original, reply, id]],
  ] as const) {
    const family = name === "addresses of its family" ? "IPv6" : "IPv4";
    t.throws(() => readFlow(Buffer.concat(parts), family), KernelError, name);
  }
});

t.test("any bytes, and any damage to real ones, give a flow that is in them or a refusal", async (t) => {
  const seed = takeSeed();
  const isSound = (bytes: Buffer, family: Family): boolean => {
    try {
      const flow = readFlow(bytes, family);
      if (!flow) return true;
      const tuple = Buffer.from(flow.tuple);
      return bytes.includes(tuple) && Buffer.from(deleteRequest(flow).payload).includes(tuple);
    } catch (error) {
      return error instanceof KernelError;
    }
  };
  const random = fc.property(
    fc.uint8Array({ maxLength: 300 }),
    fc.constantFrom<Family>("IPv4", "IPv6"),
    (bytes, family) => isSound(Buffer.from([family === "IPv4" ? 2 : 10, 0, 0, 0, ...bytes]), family),
  );
  const damage = fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { minLength: 1, maxLength: 4 });
  const damaged = fc.property(fc.constantFrom(...UDP_FIXTURES), damage, fc.nat(400), ([name, family], places, end) => {
    const bytes = Buffer.from(conntrackFixture(name).bytes);
    for (const [at, value] of places) if (at < bytes.length) bytes[at] = value;
    return isSound(bytes.subarray(0, end), family);
  });
  t.doesNotThrow(() => fc.assert(random, { seed, numRuns: 3000 }));
  t.doesNotThrow(() => fc.assert(damaged, { seed, numRuns: 5000 }));
});
