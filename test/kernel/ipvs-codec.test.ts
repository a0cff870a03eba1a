// Are requests to IPVS, byte for byte, those that the kernel understands?
import fc from "fast-check";
import t from "tap";
import {
  flushRequest,
  realServersPayload,
  serverRequests,
  serversPayload,
  timeoutsRequest,
} from "../../src/kernel/ipvs-codec.ts";
import { frame } from "../../src/kernel/netlink-message.ts";
import type { ServerChange, ServerSettings } from "../../src/state/server-change.ts";
import type { RealServer } from "../../src/state/virtual-server.ts";
import { arbitraryServer } from "../support/arbitrary-servers.ts";
import { takeSeed } from "../support/seed.ts";

const FAMILY = 0x20;
const API: ServerSettings = {
  address: "10.96.0.1",
  protocol: "TCP",
  port: 443,
  scheduler: "rr",
  schedulerFlags: 0,
  persistence: 0,
};
const API6: ServerSettings = { ...API, address: "fd00:96::1" };
const NODE: RealServer = { address: "10.1.0.1", port: 6443, method: "masquerade", weight: 1 };

const KINDS = ["add-server", "set-server", "remove-server", "add-real", "set-real", "remove-real"] as const;

/** What a server is known by: address family, protocol, address, port. */
const KEY = "060001000200 0000 060002000600 0000 08000300 0a600001 06000400 01bb 0000";
const KEY6 = "060001000a00 0000 060002000600 0000 14000300 fd00009600000000 0000000000000001 06000400 01bb 0000";

const plain = (text: string) => text.replaceAll(/\s/g, "");
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

function payloadOf(change: ServerChange): string {
  return hex(serverRequests(FAMILY, [change])[0]?.payload ?? Buffer.alloc(0));
}

t.test("whole messages, the last to be acknowledged", async (t) => {
  const changes: readonly ServerChange[] = [
    { kind: "add-server", server: API },
    { kind: "add-real", server: API, real: NODE },
  ];
  const sent = hex(frame(serverRequests(FAMILY, changes), 1));
  t.equal(
    sent,
    plain(`
      5c000000 20000100 01000000 00000000 01010000 48000100
      06000100 02000000 06000200 06000000 08000300 0a600001 06000400 01bb0000
      07000600 72720000 0c000700 00000000 ffffffff 08000800 00000000 08000900 ffffffff
      6c000000 20000500 02000000 00000000 05010000 24000100
      06000100 02000000 06000200 06000000 08000300 0a600001 06000400 01bb0000
      34000200 08000100 0a010001 06000200 192b0000 08000300 00000000 08000400 01000000
      08000500 00000000 08000600 00000000`),
  );
});

for (const [name, change, wanted] of [
  [
    "affinity for three hours, scheduler mh by port",
    { kind: "set-server", server: { ...API, scheduler: "mh", schedulerFlags: 0x10, persistence: 10_800 } },
    `02010000 48000100 ${KEY} 07000600 6d680000 0c000700 11000000 ffffffff 08000800 302a0000 08000900 ffffffff`,
  ],
  [
    "IPv6: a prefix length for a mask, in the order of the host",
    { kind: "add-server", server: API6 },
    `01010000 54000100 ${KEY6} 07000600 72720000 0c000700 00000000 ffffffff 08000800 00000000 08000900 80000000`,
  ],
  ["a server goes", { kind: "remove-server", server: API }, `03010000 24000100 ${KEY}`],
  [
    "UDP",
    { kind: "remove-server", server: { ...API, protocol: "UDP" } },
    `03010000 24000100 ${KEY.replace("060002000600", "060002001100")}`,
  ],
  [
    "SCTP",
    { kind: "remove-server", server: { ...API, protocol: "SCTP" } },
    `03010000 24000100 ${KEY.replace("060002000600", "060002008400")}`,
  ],
  [
    "a real server drains",
    { kind: "set-real", server: API, real: { ...NODE, weight: 0 } },
    `06010000 24000100 ${KEY} 34000200 08000100 0a010001 06000200 192b0000 08000300 00000000 08000400 00000000
     08000500 00000000 08000600 00000000`,
  ],
  [
    "a real server goes",
    { kind: "remove-real", server: API, real: NODE },
    `07010000 24000100 ${KEY} 14000200 08000100 0a010001 06000200 192b0000`,
  ],
  [
    "a real server of IPv6, by direct route",
    { kind: "add-real", server: API6, real: { ...NODE, address: "fd00:1::2", method: "route" } },
    `05010000 30000100 ${KEY6} 40000200 14000100 fd00000100000000 0000000000000002 06000200 192b0000
     08000300 03000000 08000400 01000000 08000500 00000000 08000600 00000000`,
  ],
  [
    "a real server of the other family says so, and the kernel refuses it",
    { kind: "add-real", server: API, real: { ...NODE, address: "fd00:1::2" } },
    `05010000 24000100 ${KEY} 48000200 14000100 fd00000100000000 0000000000000002 06000200 192b0000
     08000300 00000000 08000400 01000000 08000500 00000000 08000600 00000000 06000b00 0a000000`,
  ],
] as const) {
  t.test(name, async (t) => {
    t.equal(payloadOf(change), plain(wanted));
  });
}

t.test("a scheduler of any name, as long as the kernel may ever take", async (t) => {
  const server = { ...API, scheduler: "x".repeat(400) };
  const payload = payloadOf({ kind: "add-server", server });
  t.ok(payload.includes(`95010600${"78".repeat(400)}00000000`), "its length, its letters, its end, and what fills up");
});

t.test("each change goes to its own server", async (t) => {
  const other = { ...API, address: "10.96.0.2" };
  const changes = [API, other, API].map((server) => ({ kind: "remove-server", server }) as const);
  t.strictSame(
    serverRequests(FAMILY, changes).map(({ payload }) => hex(payload)),
    changes.map(payloadOf),
  );
});

t.test("whatever goes before: a change has the same words as by itself", async (t) => {
  const seed = takeSeed();
  const server = arbitraryServer(["masquerade", "tunnel", "route"]);
  // Real servers of the other family too, and some so much alike that only one thing differs.
  const change = fc
    .tuple(
      fc.constantFrom(...KINDS),
      fc.oneof(server, fc.constant({ ...API, realServers: [NODE] })),
      fc.boolean(),
      server,
    )
    .map(([kind, to, mixed, other]): ServerChange => {
      const { realServers, ...settings } = to;
      const [real = NODE] = mixed ? other.realServers : realServers;
      if (kind === "add-server" || kind === "set-server" || kind === "remove-server") return { kind, server: settings };
      return { kind, server: settings, real };
    });
  const property = fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
    const together = serverRequests(FAMILY, changes).map(({ payload }) => hex(payload));
    return together.join() === changes.map(payloadOf).join();
  });
  t.doesNotThrow(() => fc.assert(property, { seed, numRuns: 300 }));
});

t.test("lists, timeouts, and everything", async (t) => {
  t.equal(hex(serversPayload()), "04010000");
  t.equal(hex(realServersPayload(API)), plain(`08010000 24000100 ${KEY}`));
  const timeouts = timeoutsRequest(FAMILY, { tcp: 900, tcpFin: 0, udp: 300 });
  t.equal(timeouts.type, FAMILY);
  t.equal(hex(timeouts.payload), plain("0c010000 08000400 84030000 08000500 00000000 08000600 2c010000"));
  t.equal(hex(flushRequest(FAMILY).payload), "11010000");
});
