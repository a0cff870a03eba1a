// Are servers read and changed as they should be, in few messages, by a kernel that is a function?
import "../support/enter-sandbox.ts";

import t from "tap";
import {
  changeServers,
  changeTimeouts,
  deleteAllServers,
  hasIpvs,
  readRealServers,
  readServers,
  ServerReader,
} from "../../src/kernel/ipvs.ts";
import { tryScheduler } from "../../src/kernel/ipvs-trial.ts";
import type { ServerChange, ServerSettings } from "../../src/state/server-change.ts";
import type { RealServer } from "../../src/state/virtual-server.ts";
import { ipvsKernel } from "../support/ipvs-kernel.ts";
import { refusalOf } from "../support/refusal.ts";
import { skipReason } from "../support/sandbox.ts";

const WEB: ServerSettings = {
  address: "10.96.1.1",
  protocol: "TCP",
  port: 80,
  scheduler: "rr",
  schedulerFlags: 0,
  persistence: 0,
};
const WEB6: ServerSettings = { ...WEB, address: "fd00:96::7", protocol: "UDP", persistence: 600 };
const POD: RealServer = { address: "10.71.1.5", port: 8080, method: "masquerade", weight: 1 };
const POD6: RealServer = { ...POD, address: "fd00:71::5" };
const IDLE = { activeConnections: 0, inactiveConnections: 0 };

const ADD: readonly ServerChange[] = [
  { kind: "add-server", server: WEB },
  { kind: "add-real", server: WEB, real: POD },
  { kind: "add-server", server: WEB6 },
  { kind: "add-real", server: WEB6, real: POD6 },
];

/** The code of each refusal. */
function codes(results: Awaited<ReturnType<typeof changeServers>>) {
  return results.map((refused) => refused?.refusal.code);
}

t.test("both families share one read of /proc/net/ip_vs, and a change of ours asks for another", async (t) => {
  const kernel = ipvsKernel();
  await changeServers(
    [
      { kind: "add-server", server: WEB },
      { kind: "add-server", server: WEB6 },
    ],
    kernel,
  );
  let reads = 0;
  const readProc = () => {
    reads++;
    return kernel.readProc();
  };
  const reader = new ServerReader({ ...kernel, readProc });
  const both = () => Promise.all([reader.read("IPv4"), reader.read("IPv6")]);
  const found = await both();
  t.match(found, [[{ address: WEB.address }], [{ address: WEB6.address }]]);
  t.equal(reads, 1);
  await both();
  t.equal(reads, 2, "a read that is over is not used again");
  const first = reader.read("IPv4");
  reader.invalidate();
  await Promise.all([first, reader.read("IPv6")]);
  t.equal(reads, 4);
});

t.test("what is added is found, each family by itself", async (t) => {
  const kernel = ipvsKernel();
  t.strictSame(codes(await changeServers(ADD, kernel)), new Array(4).fill(undefined));
  t.same(await readServers("IPv4", kernel), [{ ...WEB, realServers: [{ ...POD, ...IDLE }] }]);
  t.same(await readServers("IPv6", kernel), [{ ...WEB6, realServers: [{ ...POD6, ...IDLE }] }]);
  t.same(await readRealServers(WEB, kernel), [{ ...POD, ...IDLE }]);
  t.strictSame(await readRealServers({ ...WEB, port: 81 }, kernel), []);
});

t.test("what is there already is set as it should be", async (t) => {
  const kernel = ipvsKernel();
  await changeServers(ADD, kernel);
  const wanted = { ...WEB, scheduler: "mh", schedulerFlags: 0x10, persistence: 60 };
  const real = { ...POD, weight: 0 };
  const changes: readonly ServerChange[] = [
    { kind: "add-server", server: wanted },
    { kind: "add-real", server: WEB, real },
  ];
  t.strictSame(codes(await changeServers(changes, kernel)), [undefined, undefined]);
  t.same(await readServers("IPv4", kernel), [{ ...wanted, realServers: [{ ...real, ...IDLE }] }]);
});

t.test("what is gone already is as good as removed, or drained", async (t) => {
  const kernel = ipvsKernel();
  await changeServers(ADD.slice(0, 1), kernel);
  const none = { ...WEB, port: 81 };
  const changes: readonly ServerChange[] = [
    { kind: "remove-server", server: none },
    { kind: "remove-real", server: none, real: POD },
    { kind: "remove-real", server: WEB, real: POD },
    { kind: "set-real", server: WEB, real: { ...POD, weight: 0 } },
    { kind: "set-real", server: none, real: { ...POD, weight: 0 } },
    { kind: "remove-server", server: WEB },
  ];
  t.strictSame(codes(await changeServers(changes, kernel)), new Array(6).fill(undefined));
  t.strictSame(await readServers("IPv4", kernel), []);
});

t.test("each refusal says what was asked, and why not; the others are done", async (t) => {
  const kernel = ipvsKernel();
  const odd = { ...WEB, port: 81, scheduler: "twos" };
  const changes: readonly ServerChange[] = [
    { kind: "add-server", server: odd },
    { kind: "add-real", server: odd, real: POD },
    { kind: "add-server", server: WEB },
    { kind: "set-real", server: WEB, real: POD },
    { kind: "add-real", server: WEB, real: POD6 },
    { kind: "set-server", server: WEB6 },
    { kind: "add-real", server: WEB, real: POD },
  ];
  const results = await changeServers(changes, kernel);
  t.match(
    results.map((refused) => refused?.message),
    [
      "ipvs add-server 10.96.1.1:81/TCP: no scheduler twos (ENOENT)",
      "ipvs add-real 10.96.1.1:81/TCP to 10.71.1.5:8080: there is no such virtual server (ESRCH)",
      undefined,
      "ipvs set-real 10.96.1.1:80/TCP to 10.71.1.5:8080: there is no such real server (ENOENT)",
      "ipvs add-real 10.96.1.1:80/TCP to [fd00:71::5]:8080: the kernel does not take it (EINVAL)",
      "ipvs set-server [fd00:96::7]:80/UDP: there is no such virtual server (ESRCH)",
      undefined,
    ],
  );
  t.same(await readServers("IPv4", kernel), [{ ...WEB, realServers: [{ ...POD, ...IDLE }] }]);
});

t.test("a thousand servers with five thousand behind them, in few sends; then all of them again", async (t) => {
  const kernel = ipvsKernel();
  const changes = Array.from({ length: 1000 }, (_, index): ServerChange[] => {
    const server = { ...WEB, address: `10.96.${index >> 8}.${index & 255}` };
    const real = (pod: number) => ({ ...POD, address: `10.71.${pod}.${index & 255}` });
    return [
      { kind: "add-server", server },
      ...[1, 2, 3, 4, 5].map((pod): ServerChange => ({ kind: "add-real", server, real: real(pod) })),
    ];
  }).flat();
  t.equal((await changeServers(changes, kernel)).filter(Boolean).length, 0);
  t.strictSame(kernel.counted, { messages: 6000, sends: 22 });
  const found = await readServers("IPv4", kernel);
  t.equal(found.length, 1000);
  t.ok(found.every(({ realServers }) => realServers.length === 5));
  t.equal((await changeServers(changes, kernel)).filter(Boolean).length, 0, "each is there, and is set");
  t.strictSame(await changeServers([], kernel), []);
});

t.test("connections are told, and drain", async (t) => {
  const kernel = ipvsKernel();
  await changeServers(ADD, kernel);
  kernel.setActive("0a4701051f90", 3);
  t.match(await readServers("IPv4", kernel), [{ realServers: [{ activeConnections: 3 }] }]);
  t.match(await readRealServers(WEB, kernel), [{ activeConnections: 3 }]);
});

t.test("servers by firewall mark and of other protocols are nobody's of ours", async (t) => {
  const kernel = ipvsKernel();
  const common = [
    ...new Map([
      [6, Buffer.from("rr\0")],
      [7, Buffer.alloc(8)],
      [8, Buffer.alloc(4)],
    ]),
  ];
  kernel.addForeign(new Map([[1, Buffer.of(2, 0)], [5, Buffer.of(7, 0, 0, 0)], ...common]));
  kernel.addForeign(
    new Map([[1, Buffer.of(2, 0)], [2, Buffer.of(1, 0)], [3, Buffer.alloc(4)], [4, Buffer.alloc(2)], ...common]),
  );
  await changeServers(ADD, kernel);
  t.equal((await readServers("IPv4", kernel)).length, 1);
});

t.test("one that went between the two looks is not told of", async (t) => {
  const kernel = ipvsKernel();
  await changeServers(ADD, kernel);
  const text: string[] = [];
  for await (const piece of kernel.readProc()) text.push(piece);
  await changeServers([{ kind: "remove-server", server: WEB }], kernel);
  t.strictSame(await readServers("IPv4", { ...kernel, readProc: () => text }), []);
});

t.test("timeouts, and the end of everything", async (t) => {
  const kernel = ipvsKernel();
  await changeServers(ADD, kernel);
  await changeTimeouts({ tcp: 900, tcpFin: 0, udp: 300 }, kernel);
  t.strictSame(kernel.timeouts, [900, 0, 300]);
  t.match(await refusalOf(changeTimeouts({ tcp: 3_000_000, tcpFin: 0, udp: 0 }, kernel)), {
    target: "timeouts 3000000 0 0",
    code: "EINVAL",
  });
  await deleteAllServers(kernel);
  t.strictSame([await readServers("IPv4", kernel), await readServers("IPv6", kernel)], [[], []]);
});

t.test("a kernel without IPVS", async (t) => {
  const kernel = ipvsKernel({ absent: true });
  t.equal(await hasIpvs(kernel), false);
  for (const asked of [
    readServers("IPv4", kernel),
    changeServers(ADD, kernel),
    deleteAllServers(kernel),
    readRealServers(WEB, kernel),
  ]) {
    t.match(await refusalOf(asked), { step: "ipvs", target: "kernel", code: "ENOENT" });
  }
  t.equal(await hasIpvs(ipvsKernel()), true);
});

t.test("a scheduler is tried, and nothing is left of the trial", async (t) => {
  const kernel = ipvsKernel();
  t.equal(await tryScheduler("mh", kernel), undefined);
  t.match(await tryScheduler("twos", kernel), { refusal: { code: "ENOENT", words: "no scheduler twos" } });
  t.strictSame(await readServers("IPv4", kernel), []);
  await changeServers(ADD, kernel);
  const before = kernel.counted.messages;
  t.equal(await tryScheduler("rr", kernel), undefined);
  t.equal(kernel.counted.messages, before, "one that runs already needs no trial");
});

t.test("a trial that cannot be ended is a failure", async (t) => {
  const kernel = ipvsKernel();
  const stuck = {
    ...kernel,
    converse: ((protocol, purpose, talk) =>
      kernel.converse(protocol, purpose, (socket) =>
        talk({
          ...socket,
          exchange: (bytes, take) =>
            socket.exchange(bytes[16] === 3 ? Buffer.from(bytes).fill(0x7f, 16, 17) : bytes, take),
        }),
      )) as typeof kernel.converse,
  };
  t.match(await refusalOf(tryScheduler("rr", stuck)), { step: "ipvs remove-server" });
});

t.test("this kernel, whether it has IPVS or not", { skip: skipReason() }, async (t) => {
  if (await hasIpvs()) {
    t.strictSame(await readServers("IPv4"), []);
    t.strictSame(codes(await changeServers(ADD)), new Array(4).fill(undefined));
    t.same(await readServers("IPv6"), [{ ...WEB6, realServers: [{ ...POD6, ...IDLE }] }]);
    await deleteAllServers();
  } else {
    t.match(await refusalOf(readServers("IPv4")), { step: "ipvs", target: "kernel", code: "ENOENT" });
  }
});
