// Are requests to ipset, byte for byte, those that the kernel understands?
import fc from "fast-check";
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import { readList } from "../../src/kernel/attribute-list.ts";
import { requiredValue } from "../../src/kernel/attribute-values.ts";
import { readAttributes } from "../../src/kernel/attributes.ts";
import {
  createRequest,
  destroyRequest,
  entryRequest,
  listPayload,
  protocolRequest,
  swapRequest,
  typeRequest,
} from "../../src/kernel/ipset-codec.ts";
import { frame, type Request } from "../../src/kernel/netlink-message.ts";
import type { SetHeader } from "../../src/state/ip-set.ts";
import { type EntryParts, parseEntry } from "../../src/state/set-entry.ts";
import { arbitrarySetAndEntry } from "../support/arbitrary-sets.ts";
import { takeSeed } from "../support/seed.ts";

const CLUSTER_IP: SetHeader = { name: "KUBE-CLUSTER-IP", type: "hash:ip,port", family: "inet" };
const PORTS: SetHeader = { name: "P", type: "bitmap:port", family: "none" };

const plain = (text: string) => text.replaceAll(/\s/g, "");

function hex({ payload }: Request): string {
  return Buffer.from(payload).toString("hex");
}

function addition(set: SetHeader, ...entries: readonly string[]): Request {
  return entryRequest(
    "add",
    set,
    entries.map((entry) => parseEntry(set, entry) ?? {}),
  );
}

t.test("whole messages, the last to be acknowledged", async (t) => {
  const create = frame([createRequest(CLUSTER_IP, 6)], 1).toString("hex");
  t.equal(
    create,
    plain(`
      68000000 02060500 01000000 00000000 02000000 05000100 07000000
      14000200 4b554245 2d434c55 53544552 2d495000 11000300 68617368 3a69702c 706f7274 00000000
      05000400 06000000 05000500 02000000 14000780 08001240 00000400 08001340 00010000`),
  );
  const add = frame([addition(CLUSTER_IP, "10.96.0.1,tcp:443", "10.96.0.10,udp:53")], 2).toString("hex");
  t.equal(
    add,
    plain(`
      8c000000 09060500 02000000 00000000 02000000 05000100 07000000
      14000200 4b554245 2d434c55 53544552 2d495000 08000940 00000001 54000880
      28000780 0c000180 08000140 0a600001 06000440 01bb0000 05000700 06000000 08000940 00000001
      28000780 0c000180 08000140 0a60000a 06000440 00350000 05000700 11000000 08000940 00000002`),
  );
});

const HEAD = "02000000 05000100 07000000 06000200 50000000";

for (const [name, request, type, wanted] of [
  [
    "make a bitmap",
    createRequest(PORTS, 3),
    0x602,
    `${HEAD} 10000300 6269746d61703a706f727400 05000400 03000000 05000500 00000000
     14000780 06000440 00000000 06000540 ffff0000`,
  ],
  [
    "make a set of IPv6",
    createRequest({ name: "P", type: "hash:ip", family: "inet6" }, 6),
    0x602,
    `0a000000 05000100 07000000 06000200 50000000 0c000300 686173683a697000 05000400 06000000 05000500 0a000000
     14000780 08001240 00000400 08001340 00010000`,
  ],
  ["destroy", destroyRequest("P"), 0x603, HEAD],
  ["swap", swapRequest("P", "Q"), 0x606, `${HEAD} 06000300 51000000`],
  ["protocol", protocolRequest(), 0x601, "02000000 05000100 07000000"],
  [
    "type",
    typeRequest({ type: "hash:ip", family: "inet6" }),
    0x60d,
    "0a000000 05000100 07000000 0c000300 686173683a697000 05000500 0a000000",
  ],
  [
    "remove a port",
    entryRequest("remove", PORTS, [{ port: 31080 }]),
    0x60a,
    `${HEAD} 08000940 00000001 18000880 14000780 06000440 79680000 08000940 00000001`,
  ],
  [
    "a network",
    addition({ name: "P", type: "hash:ip,port,net", family: "inet" }, "203.0.113.5,sctp:443,192.0.2.0/24"),
    0x609,
    `${HEAD} 08000940 00000001 40000880 3c000780 0c000180 08000140 cb007105 06000440 01bb0000 05000700 84000000
     0c001480 08000140 c0000200 05001500 18000000 08000940 00000001`,
  ],
  [
    "two addresses of IPv6",
    addition({ name: "P", type: "hash:ip,port,ip", family: "inet6" }, "fd00::1,udp:53,fd00::2"),
    0x609,
    `0a000000 05000100 07000000 06000200 50000000 08000940 00000001 50000880 4c000780
     18000180 14000240 fd000000000000000000000000000001 06000440 00350000 05000700 11000000
     18001480 14000240 fd000000000000000000000000000002 08000940 00000001`,
  ],
] as const) {
  t.test(name, async (t) => {
    t.equal(hex(request), plain(wanted));
    t.strictSame([request.type, request.flags], [type, 0], "and nothing is said against what is there already");
  });
}

t.test("whatever stands before it in a list: an entry has the same words as by itself", async (t) => {
  const seed = takeSeed();
  const header: SetHeader = { name: "P", type: "hash:ip,port,net", family: "inet" };
  const words = (entries: readonly EntryParts[]) => {
    const payload = Buffer.from(entryRequest("add", header, entries).payload);
    return readList(requiredValue(readAttributes(payload.subarray(4)), { type: 8, target: "test" }));
  };
  const property = fc.property(fc.array(arbitrarySetAndEntry(), { maxLength: 40 }), (all) => {
    const entries = all.map(({ parts }) => parts);
    const alone = entries.map((entry, index) => {
      const [bytes = Buffer.alloc(4)] = words([entry]);
      return `${hex({ type: 0, flags: 0, payload: bytes }).slice(0, -8)}${(index + 1).toString(16).padStart(8, "0")}`;
    });
    return (
      words(entries)
        .map((bytes) => bytes.toString("hex"))
        .join() === alone.join()
    );
  });
  t.doesNotThrow(() => fc.assert(property, { seed, numRuns: 300 }));
});

t.test("list", async (t) => {
  t.equal(Buffer.from(listPayload("P")).toString("hex"), plain(HEAD));
});

t.test("without a name nothing is asked: the kernel would take it for all sets", async (t) => {
  for (const ask of [() => destroyRequest(""), () => listPayload(""), () => swapRequest("", "Q")]) {
    t.throws(ask, KernelError);
  }
});
