// Are requests to rtnetlink, byte for byte, those that the kernel understands, and its answers never misunderstood?
import fc from "fast-check";
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import { attribute, nested } from "../../src/kernel/attributes.ts";
import {
  addAddressRequest,
  addressesPayload,
  createLinkRequest,
  deleteLinkRequest,
  findLinkRequest,
  readAddress,
  readLink,
  removeAddressRequest,
} from "../../src/kernel/link-codec.ts";
import { parseAddress } from "../../src/net/address.ts";
import { FAMILIES } from "../../src/net/family.ts";
import { takeSeed } from "../support/seed.ts";

const NO_HEADER = "00".repeat(16);
const NAME = "0f000300 6b7562652d6970767330 0000";
const CREATE = 0x600;

const plain = (text: string) => text.replaceAll(/\s/g, "");

for (const [name, request, type, flags, wanted] of [
  [
    "make a dummy whose queue has no length",
    createLinkRequest("kube-ipvs0", "dummy"),
    16,
    CREATE,
    `${NO_HEADER} ${NAME} 08000d00 00000000 10001280 09000100 64756d6d79 000000`,
  ],
  ["find it", findLinkRequest("kube-ipvs0"), 18, 0, `${NO_HEADER} ${NAME}`],
  ["delete it", deleteLinkRequest(258), 17, 0, "00000000 02010000 00000000 00000000"],
  [
    "add an address",
    addAddressRequest(7, "10.96.0.1"),
    20,
    CREATE,
    "02200000 07000000 08000200 0a600001 08000100 0a600001",
  ],
  [
    "add an address of IPv6",
    addAddressRequest(7, "fd00:96::1"),
    20,
    CREATE,
    "0a800000 07000000 14000200 fd000096000000000000000000000001 14000100 fd000096000000000000000000000001",
  ],
  [
    "remove an address",
    removeAddressRequest(7, "10.96.0.1"),
    21,
    0,
    "02200000 07000000 08000200 0a600001 08000100 0a600001",
  ],
] as const) {
  t.test(name, async (t) => {
    t.strictSame([request.type, request.flags], [type, flags]);
    t.equal(Buffer.from(request.payload).toString("hex"), plain(wanted));
  });
}

t.test("list addresses of one family", async (t) => {
  t.strictSame(
    FAMILIES.map((family) => addressesPayload(family).toString("hex")),
    ["0200000000000000", "0a00000000000000"],
  );
});

const LINK_HEADER = Buffer.from("000001000700000082000000ffffffff", "hex");
const LO = attribute(3, Buffer.from("lo\0"));

t.test("an interface, and its kind where it has one", async (t) => {
  t.strictSame(readLink(Buffer.concat([LINK_HEADER, LO])), { index: 7, name: "lo", kind: "" });
  const info = (...inner: readonly Buffer[]) => readLink(Buffer.concat([LINK_HEADER, LO, nested(18, ...inner)])).kind;
  t.equal(info(attribute(1, Buffer.from("veth\0"))), "veth");
  t.equal(info(attribute(1, Buffer.from("veth"))), "veth", "without an end");
  t.equal(info(attribute(4, Buffer.from("bridge\0"))), "", "that of the bridge it is a port of is not its own");
  for (const wrong of [Buffer.alloc(15), LINK_HEADER]) t.throws(() => readLink(wrong), KernelError);
});

function addressBytes(family: number, ...attributes: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.of(family, 24, 0, 0, 7, 0, 0, 0), ...attributes]);
}

const OWN = attribute(2, Buffer.of(10, 0, 0, 1));
const PEER = attribute(1, Buffer.of(10, 0, 0, 2));

t.test("an address, which is its own and not its peer's", async (t) => {
  t.strictSame(readAddress(addressBytes(2, PEER, OWN), 7, "IPv4"), { address: "10.0.0.1", prefix: 24 });
  t.strictSame(readAddress(addressBytes(10, attribute(1, Buffer.alloc(16))), 7, "IPv6"), { address: "::", prefix: 24 });
  t.equal(readAddress(addressBytes(2, OWN), 8, "IPv4"), undefined, "of another interface");
  t.equal(readAddress(addressBytes(2, OWN), 7, "IPv6"), undefined, "of the other family");
  for (const wrong of [Buffer.alloc(7), addressBytes(2), addressBytes(2, attribute(2, Buffer.alloc(16)))]) {
    t.throws(() => readAddress(wrong, 7, "IPv4"), KernelError);
  }
});

t.test("any bytes are an address that can be, or refused", async (t) => {
  const seed = takeSeed();
  const property = fc.property(fc.uint8Array({ maxLength: 60 }), fc.constantFrom(...FAMILIES), (all, family) => {
    const message = Buffer.from([family === "IPv4" ? 2 : 10, 24, 0, 0, 7, 0, 0, 0, ...all]);
    try {
      const found = readAddress(message, 7, family);
      return found === undefined || parseAddress(found.address) !== undefined;
    } catch (error) {
      return error instanceof KernelError;
    }
  });
  const links = fc.property(fc.uint8Array({ maxLength: 60 }), (all) => {
    try {
      return readLink(Buffer.concat([LINK_HEADER, Buffer.from(all)])).index === 7;
    } catch (error) {
      return error instanceof KernelError;
    }
  });
  t.doesNotThrow(() => fc.assert(property, { seed, numRuns: 3000 }));
  t.doesNotThrow(() => fc.assert(links, { seed, numRuns: 3000 }));
});
