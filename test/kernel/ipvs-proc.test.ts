import fc from "fast-check";
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import { readProcServers } from "../../src/kernel/ipvs-proc.ts";
import { takeSeed } from "../support/seed.ts";

const HEADINGS = `IP Virtual Server version 1.2.1 (size=4096)
Prot LocalAddress:Port Scheduler Flags
  -> RemoteAddress:Port Forward Weight ActiveConn InActConn
`;

const TEXT = `${HEADINGS}TCP  0A600001:01BB rr  
  -> 0A010001:192B      Masq    1      12         3         
  -> 0A010002:192B      Masq    0      1          0         
UDP  0A60000A:0035 mh  persistent 150000 FFFFFFFF
SCTP  0A600104:8E3C rr  
  -> 0A470209:8E3C      Masq    1      0          0         
UDP  0A600707:0050 lc ops persistent 90000 00FFFFFF
  -> 0A010001:0050      Local   100    0          0         
  -> 0A010003:0050      Tunnel  2147483647 0          0         
  -> 0A010004:0050      Route   1      0          0         
  -> 0A010005:0050      Bypass  1      0          0         
FWM  00000007 rr  
  -> 0A010009:0000      Route   1      0          0         
TCP  [fd00:0096:0000:0000:0000:0000:0000:0001]:0035 rr  persistent 2500 80000000
  -> [fd00:0001:0000:0000:0000:0000:0000:0002]:14E9      Masq    1      7          0         
IP_1  0A600001:0000 rr  
  -> 0A010008:0000      Masq    1      0          0         
`;

const REAL = { method: "masquerade", weight: 1, activeConnections: 0, inactiveConnections: 0 };

t.test("all servers, of both families, but those that are somebody else's", async (t) => {
  t.same(await readProcServers([TEXT]), [
    {
      address: "10.96.0.1",
      port: 443,
      protocol: "TCP",
      scheduler: "rr",
      realServers: [
        { ...REAL, address: "10.1.0.1", port: 6443, activeConnections: 12, inactiveConnections: 3 },
        { ...REAL, address: "10.1.0.2", port: 6443, weight: 0, activeConnections: 1 },
      ],
    },
    { address: "10.96.0.10", port: 53, protocol: "UDP", scheduler: "mh", realServers: [] },
    {
      address: "10.96.1.4",
      port: 36412,
      protocol: "SCTP",
      scheduler: "rr",
      realServers: [{ ...REAL, address: "10.71.2.9", port: 36412 }],
    },
    {
      address: "10.96.7.7",
      port: 80,
      protocol: "UDP",
      scheduler: "lc",
      realServers: [
        { ...REAL, address: "10.1.0.1", port: 80, method: "local", weight: 100 },
        { ...REAL, address: "10.1.0.3", port: 80, method: "tunnel", weight: 2147483647 },
        { ...REAL, address: "10.1.0.4", port: 80, method: "route" },
        { ...REAL, address: "10.1.0.5", port: 80, method: "bypass" },
      ],
    },
    {
      address: "fd00:96::1",
      port: 53,
      protocol: "TCP",
      scheduler: "rr",
      realServers: [{ ...REAL, address: "fd00:1::2", port: 5353, activeConnections: 7 }],
    },
  ]);
});

t.test("pieces may end anywhere", async (t) => {
  const whole = await readProcServers([TEXT]);
  for (const size of [1, 7, 64]) {
    const pieces = TEXT.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
    t.same(await readProcServers(pieces), whole, `of ${size} characters`);
  }
});

t.test("no servers", async (t) => {
  t.strictSame(await readProcServers([HEADINGS]), []);
  t.strictSame(await readProcServers([]), []);
});

for (const [name, line] of [
  ["half a virtual server", "TCP  0A600001:01"],
  ["a virtual server without a scheduler", "TCP  0A600001:01BB "],
  ["half a real server", "TCP  0A600001:01BB rr  \n  -> 0A010001:192B      Masq    1"],
  ["a method that is not known", "TCP  0A600001:01BB rr  \n  -> 0A010001:192B      Fwd     1      0          0"],
  ["an address that is cut off", "TCP  [fd00:0096]:0035 rr  "],
] as const) {
  t.test(`refused: ${name}`, async (t) => {
    await t.rejects(readProcServers([`${HEADINGS}${line}`]), KernelError);
  });
}

t.test("any damage gives servers that can be, or a refusal", async (t) => {
  const seed = takeSeed();
  const damage = fc.array(fc.tuple(fc.nat(TEXT.length), fc.string({ maxLength: 3 })), { minLength: 1, maxLength: 3 });
  const property = fc.asyncProperty(damage, async (places) => {
    let text = TEXT;
    for (const [at, put] of places) text = text.slice(0, at) + put + text.slice(at + put.length);
    try {
      return (await readProcServers([text])).every(({ port, realServers }) =>
        [port, ...realServers.flatMap((real) => [real.port, real.weight, real.activeConnections])].every(
          Number.isInteger,
        ),
      );
    } catch (error) {
      return error instanceof KernelError;
    }
  });
  await t.resolves(fc.assert(property, { seed, numRuns: 3000 }));
});
