// Are the kernel's own bytes about servers understood, and never misunderstood?
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import { attribute, nested } from "../../src/kernel/attributes.ts";
import { changeServers, readRealServers, readServers } from "../../src/kernel/ipvs.ts";
import { readReal, readServer } from "../../src/kernel/ipvs-answer.ts";
import { METHODS } from "../../src/kernel/ipvs-numbers.ts";
import { familyOf, parseAddress } from "../../src/net/address.ts";
import { FAMILIES } from "../../src/net/family.ts";
import { arbitraryServer } from "../support/arbitrary-servers.ts";
import { ipvsKernel } from "../support/ipvs-kernel.ts";
import { takeSeed } from "../support/seed.ts";

const bytes = (text: string) => Buffer.from(text.replaceAll(/\s/g, ""), "hex");

/** As a kernel gives a server: sixteen bytes whatever the family, its own flag 0x2, counters behind. */
function serverBytes({ family = "0200", address = "0a600001000000000000000000000000", flags = "02000000" } = {}) {
  const inner = bytes(`
    06000100 ${family}0000 06000200 06000000 14000300 ${address} 06000400 01bb0000
    07000600 72720000 0c000700 ${flags} ffffffff 08000800 58020000 08000900 ffffffff
    0c000a80 08000100 07000000`);
  return Buffer.concat([Buffer.of(1, 1, 0, 0), attribute(1, inner)]);
}

function realBytes({ method = "00000000", family = "06000b00 02000000" } = {}) {
  const inner = bytes(`
    14000100 0a010001000000000000000000000000 06000200 192b0000 08000300 ${method} 08000400 01000000
    05000d00 00000000 06000e00 00000000 06000f00 00000000 08000500 00000000 08000600 00000000
    08000700 03000000 08000800 04000000 ${family}`);
  return Buffer.concat([Buffer.of(5, 1, 0, 0), attribute(2, inner)]);
}

t.test("a virtual server", async (t) => {
  const server = {
    address: "10.96.0.1",
    protocol: "TCP",
    port: 443,
    scheduler: "rr",
    schedulerFlags: 0,
    persistence: 0,
  };
  t.strictSame(readServer(serverBytes()), server);
  t.strictSame(readServer(serverBytes({ flags: "03000000" })), { ...server, persistence: 600 });
  t.strictSame(readServer(serverBytes({ flags: "12000000" })), { ...server, schedulerFlags: 0x10 });
  t.strictSame(readServer(serverBytes({ flags: "46000080" })), { ...server, otherFlags: 0x8000_0044 });
  const ipv6 = serverBytes({ family: "0a00", address: "fd000096000000000000000000000001" });
  t.strictSame(readServer(ipv6), { ...server, address: "fd00:96::1" });
});

t.test("persistence without a time is told, for it is not what we mean by none", async (t) => {
  const timeless = serverBytes({ flags: "03000000" });
  timeless.fill(0, timeless.indexOf(bytes("08000800")) + 4, timeless.indexOf(bytes("08000900")));
  t.match(readServer(timeless), { persistence: 0, otherFlags: 1 });
});

t.test("whoever else's are left out", async (t) => {
  const key = (protocol: number) => [attribute(1, Buffer.of(2, 0)), attribute(2, Buffer.of(protocol, 0))];
  const message = (...inner: readonly Buffer[]) => Buffer.concat([Buffer.of(1, 1, 0, 0), nested(1, ...inner)]);
  t.equal(readServer(message(attribute(1, Buffer.of(2, 0)), attribute(5, Buffer.of(7, 0, 0, 0)))), undefined);
  t.equal(readServer(message(...key(1))), undefined, "ICMP");
  t.throws(() => readServer(message(...key(6))), KernelError, "TCP, without all the rest");
});

t.test("a real server, with what it has to do", async (t) => {
  const real = { address: "10.1.0.1", port: 6443, method: "masquerade", weight: 1 };
  t.strictSame(readReal(realBytes(), "IPv4"), { ...real, activeConnections: 3, inactiveConnections: 4 });
  t.match(readReal(realBytes({ family: "" }), "IPv4"), real, "of an old kernel");
  t.match(readReal(realBytes({ method: "02000001" }), "IPv4"), { method: "tunnel" }, "with flags beside the method");
  const tunnel = realBytes({ family: "06000b00 0a000000", method: "02000000" });
  t.match(readReal(tunnel, "IPv4"), { address: "a01:1::" }, "a tunnel to the other family");
});

for (const [name, damaged] of [
  ["nothing", Buffer.alloc(0)],
  ["no header", Buffer.of(5, 1)],
  ["no server", Buffer.of(5, 1, 0, 0)],
  ["a method that is not known", realBytes({ method: "07000000" })],
  ["a family that is not known", realBytes({ family: "06000b00 03000000" })],
] as const) {
  t.test(`refused: ${name}`, async (t) => {
    t.throws(() => readReal(damaged, "IPv4"), KernelError);
  });
}

t.test("an address of four bytes is none of IPv6", async (t) => {
  const short = bytes("05010000 14000200 08000100 0a010001 08000300 00000000");
  t.throws(() => readReal(short, "IPv6"), KernelError);
});

t.test("what is asked for is what is told, whatever it is", async (t) => {
  const seed = takeSeed();
  const property = fc.asyncProperty(arbitraryServer([...METHODS]), async (server) => {
    const kernel = ipvsKernel({ schedulers: [server.scheduler] });
    const { realServers, ...settings } = server;
    await changeServers(
      [{ kind: "add-server", server }, ...realServers.map((real) => ({ kind: "add-real", server, real }) as const)],
      kernel,
    );
    const [told, real] = [await readServers(familyOf(server.address), kernel), await readRealServers(server, kernel)];
    const busy = realServers.map((one) => ({ ...one, activeConnections: 0, inactiveConnections: 0 }));
    return isDeepStrictEqual([told, real], [[{ ...settings, realServers: busy }], busy]);
  });
  await t.resolves(fc.assert(property, { seed, numRuns: 300 }));
});

t.test("any bytes, and any damage to real ones, give a server that can be, or a refusal", async (t) => {
  const seed = takeSeed();
  const isSound = (message: Buffer, family: (typeof FAMILIES)[number]): boolean => {
    for (const read of [readServer, readReal]) {
      try {
        const found = read(message, family);
        if (found && parseAddress(found.address) === undefined) return false;
        if (found && !(found.port >= 0 && found.port <= 65_535)) return false;
      } catch (error) {
        if (!(error instanceof KernelError)) return false;
      }
    }
    return true;
  };
  const random = fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(...FAMILIES), (all, family) =>
    isSound(Buffer.from(all), family),
  );
  const damage = fc.array(fc.tuple(fc.nat(130), fc.nat(255)), { minLength: 1, maxLength: 4 });
  const source = fc.constantFrom(serverBytes(), realBytes());
  const damaged = fc.property(
    source,
    damage,
    fc.nat(130),
    fc.constantFrom(...FAMILIES),
    (whole, places, end, family) => {
      const message = Buffer.from(whole);
      for (const [at, value] of places) if (at < message.length) message[at] = value;
      return isSound(message.subarray(0, end), family);
    },
  );
  t.doesNotThrow(() => fc.assert(random, { seed, numRuns: 3000 }));
  t.doesNotThrow(() => fc.assert(damaged, { seed, numRuns: 5000 }));
});
