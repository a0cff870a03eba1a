// Which virtual servers can there be? All kinds, whoever would make them.
import fc from "fast-check";
import { addressText } from "../../src/kernel/address-bytes.ts";
import { PROTOCOLS } from "../../src/net/protocol.ts";
import type { ForwardMethod, RealServer, VirtualServer } from "../../src/state/virtual-server.ts";

/** One virtual server, of either family, with real servers of the same. */
export function arbitraryServer(methods: readonly ForwardMethod[]): fc.Arbitrary<VirtualServer> {
  return fc.constantFrom(4, 16).chain((length) =>
    fc.record({
      address: arbitraryAddress(length),
      protocol: fc.constantFrom(...PROTOCOLS),
      port: fc.nat(65_535),
      scheduler: fc.constantFrom("rr", "wlc", "sh", "mh", "fo"),
      schedulerFlags: fc.nat(7).map((bits) => bits * 8),
      persistence: fc.oneof(fc.constant(0), fc.nat(86_400)),
      realServers: fc.uniqueArray(arbitraryReal(length, methods), {
        maxLength: 4,
        selector: ({ address, port }) => `${address} ${port}`,
      }),
    }),
  );
}

function arbitraryReal(length: number, methods: readonly ForwardMethod[]): fc.Arbitrary<RealServer> {
  return fc.record({
    address: arbitraryAddress(length),
    port: fc.nat(65_535),
    method: fc.constantFrom(...methods),
    weight: fc.nat(100),
  });
}

/** Of IPv6 some that are mostly zeros, but none that is IPv4 in another form. */
function arbitraryAddress(length: number): fc.Arbitrary<string> {
  const byte = fc.oneof(fc.constant(0), fc.nat(255));
  return fc.array(byte, { minLength: length, maxLength: length }).map((bytes) => {
    if (length === 16 && bytes[11] === 255) bytes[11] = 254;
    return addressText(Uint8Array.from(bytes));
  });
}
