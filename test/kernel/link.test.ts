// Does a real kernel make the interface, and bind and unbind addresses, thousands of them?
import "../support/enter-sandbox.ts";

import { spawnSync } from "node:child_process";
import t from "tap";
import {
  bindAddresses,
  type Device,
  deviceAddresses,
  ensureDevice,
  findDevice,
  removeDevice,
  unbindAddresses,
} from "../../src/kernel/link.ts";
import type { Family } from "../../src/net/family.ts";
import { errnoPayload, netlinkFunction } from "../support/netlink-function.ts";
import { refusalOf } from "../support/refusal.ts";
import { sandboxEnvironment, skipReason } from "../support/sandbox.ts";
import { limitTime } from "../support/time-limit.ts";

limitTime(60_000);

const skip = skipReason();

/** Not every kernel has dummies; a bridge is as good to hold addresses. */
const BRIDGE: Device = { name: "kube-ipvs0", kind: "bridge" };

function ip(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("ip", args, {
    env: sandboxEnvironment(),
    encoding: "utf8",
    maxBuffer: 1e8,
  });
  if (status !== 0) throw new Error(`ip ${args.join(" ")}: ${stderr}`);
  return stdout;
}

/** What `ip` shows: `10.96.0.1/32 global`, in the order of their binding. */
function shown(family: Family): readonly string[] {
  const words = ip(family === "IPv4" ? "-4" : "-6", "-br", "-o", "-json", "addr", "show", "kube-ipvs0");
  const [link] = JSON.parse(words);
  return (link?.addr_info ?? []).map(({ local, prefixlen }: Record<string, unknown>) => `${local}/${prefixlen}`);
}

t.afterEach(async () => {
  if (!skip) await removeDevice(BRIDGE);
});

t.test("the interface is made once, stays down, and has no queue length", { skip }, async (t) => {
  t.equal(await findDevice(), undefined);
  const index = await ensureDevice(BRIDGE);
  t.equal(await ensureDevice(BRIDGE), index);
  t.strictSame(await findDevice(), { index, name: "kube-ipvs0", kind: "bridge" });
  const line = ip("link", "show", "kube-ipvs0");
  t.match(line, /state DOWN/);
  t.notMatch(line, /qlen/);
});

t.test("an interface of that name is taken as it is, but deleted only if it is of our kind", { skip }, async (t) => {
  ip("link", "add", "kube-ipvs0", "type", "veth");
  t.type(await ensureDevice(), "number");
  t.match(await refusalOf(removeDevice()), { target: "kube-ipvs0", words: /not of kind dummy/ });
  t.match(await findDevice(), { kind: "veth" });
  await removeDevice({ ...BRIDGE, kind: "veth" });
  t.equal(await findDevice(), undefined);
  t.resolves(removeDevice(), "one that is not there is as good as deleted");
});

t.test("a kind that this kernel does not have", { skip }, async (t) => {
  t.match(await refusalOf(ensureDevice({ name: "kube-ipvs0", kind: "nothing" })), {
    step: "make interface",
    target: "kube-ipvs0 of kind nothing",
    code: "ENOTSUP",
  });
});

t.test("addresses are bound and unbound, of both families, and twice does no harm", { skip }, async (t) => {
  const index = await ensureDevice(BRIDGE);
  const addresses = ["10.96.0.1", "fd00:96::1", "10.96.0.2", "10.96.0.1"];
  t.strictSame(await bindAddresses(index, addresses), new Array(4).fill(undefined));
  t.strictSame(shown("IPv4"), ["10.96.0.1/32", "10.96.0.2/32"]);
  t.strictSame(shown("IPv6"), ["fd00:96::1/128"]);
  t.match(ip("addr", "show", "kube-ipvs0"), /inet 10\.96\.0\.1\/32 scope global kube-ipvs0\n/);
  t.match(ip("route", "show", "table", "local"), /local 10\.96\.0\.1 dev kube-ipvs0/, "local though it is down");
  t.strictSame(await unbindAddresses(index, ["10.96.0.1", "fd00:96::1", "10.96.0.9", "fd00:96::9"]), [
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  t.strictSame([shown("IPv4"), shown("IPv6")], [["10.96.0.2/32"], []]);
  t.strictSame(await bindAddresses(index, []), []);
});

t.test("only the addresses of this interface are told, with those of another length", { skip }, async (t) => {
  const index = await ensureDevice(BRIDGE);
  ip("link", "add", "other", "type", "bridge");
  ip("addr", "add", "192.0.2.1/24", "dev", "other");
  ip("addr", "add", "10.60.0.1/24", "dev", "kube-ipvs0");
  await bindAddresses(index, ["10.96.0.1", "fd00:96::1"]);
  t.strictSame(await deviceAddresses(index, "IPv4"), [
    { address: "10.60.0.1", prefix: 24 },
    { address: "10.96.0.1", prefix: 32 },
  ]);
  t.strictSame(await deviceAddresses(index, "IPv6"), [{ address: "fd00:96::1", prefix: 128 }]);
  t.strictSame(await unbindAddresses(index, ["10.60.0.1"]), [undefined], "as a single address it was not there");
  t.equal((await deviceAddresses(index, "IPv4")).length, 2);
  ip("link", "del", "other");
});

t.test("thousands, with refusals in the midst of them", { skip }, async (t) => {
  const index = await ensureDevice(BRIDGE);
  const good = Array.from({ length: 2000 }, (_, at) => `10.${100 + (at >> 8)}.${at & 255}.1`);
  const good6 = Array.from({ length: 1000 }, (_, at) => `fd00:96::${(at + 1).toString(16)}`);
  const addresses = [...good.slice(0, 700), "ff02::1", ...good6, ...good.slice(700)];
  const results = await bindAddresses(index, addresses);
  t.equal(results.length, addresses.length);
  t.strictSame(
    results.flatMap((refused, at) => (refused ? [[at, refused.refusal.target, refused.refusal.code]] : [])),
    [[700, "ff02::1", "EADDRNOTAVAIL"]],
  );
  t.strictSame(new Set(shown("IPv4")), new Set(good.map((address) => `${address}/32`)));
  t.equal((await deviceAddresses(index, "IPv4")).length, good.length);
  t.equal((await deviceAddresses(index, "IPv6")).length, good6.length);
  t.equal((await unbindAddresses(index, [...good, ...good6])).filter(Boolean).length, 0);
  t.strictSame([shown("IPv4"), shown("IPv6")], [[], []]);
});

t.test("an interface that is gone", { skip }, async (t) => {
  const index = await ensureDevice(BRIDGE);
  await removeDevice(BRIDGE);
  t.match(await bindAddresses(index, ["10.96.0.1"]), [
    { refusal: { step: "bind address", target: "10.96.0.1", code: "ENODEV" } },
  ]);
  t.strictSame(await deviceAddresses(index, "IPv4"), []);
});

const EEXIST = 17;
const ENODEV = 19;
const EPERM_LIKE = 12;

/** A kernel that answers each request in turn with these numbers. */
function refusing(...errnos: readonly number[]) {
  let at = 0;
  return netlinkFunction({
    answers: (bytes) => {
      const errno = errnos[at] ?? 0;
      at += 1;
      return [[{ type: 2, sequence: bytes.readUInt32LE(8), payload: errnoPayload(errno) }]];
    },
  });
}

t.test("what else may happen on the way", async (t) => {
  t.match(await refusalOf(findDevice("kube-ipvs0", refusing(EPERM_LIKE))), { step: "find interface", code: "ENOMEM" });
  t.match(
    await refusalOf(ensureDevice(undefined, refusing(ENODEV, EEXIST, ENODEV))),
    { step: "find interface", code: "ENODEV" },
    "somebody else made it, and deleted it again",
  );
});

t.test("one that cannot be deleted, or is gone before", async (t) => {
  const name = Buffer.from([...Buffer.alloc(4), 7, ...Buffer.alloc(11), 6, 0, 3, 0, 100, 0, 0, 0]);
  const info = Buffer.from("100012000a00010064756d6d79000000", "hex");
  const found = [
    { type: 16, sequence: 1, payload: Buffer.concat([name, info]) },
    { type: 2, sequence: 1, payload: errnoPayload(0) },
  ];
  const deleting = (errno: number) =>
    netlinkFunction({
      answers: (bytes) => [
        bytes.readUInt16LE(4) === 18 ? found : [{ type: 2, sequence: 0, payload: errnoPayload(errno) }],
      ],
    });
  t.match(await refusalOf(removeDevice(undefined, deleting(16))), { step: "delete interface", code: "EBUSY" });
  t.resolves(removeDevice(undefined, deleting(ENODEV)));
  t.resolves(removeDevice(undefined, deleting(0)));
});
