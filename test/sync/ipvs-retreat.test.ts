// Teardown of a previous IPVS mode, with a clock moved by hand and a fake kernel.
import t, { type Test } from "tap";
import { KernelError } from "../../src/errors.ts";
import type { Kernel } from "../../src/kernel/kernel.ts";
import type { Family } from "../../src/net/family.ts";
import type { Protocol } from "../../src/net/protocol.ts";
import { printIpvsStep } from "../../src/plan/ipvs-print.ts";
import type { IpvsStep, Step } from "../../src/plan/plan.ts";
import type { IpvsState } from "../../src/state/kernel-state.ts";
import type { SetChange } from "../../src/state/set-change.ts";
import type { UdpFlow } from "../../src/state/udp-flow.ts";
import { IpvsRetreat, type IpvsRetreatInput, LONGEST_WAIT, type OwnConnections } from "../../src/sync/ipvs-retreat.ts";
import { buildFlow } from "../support/build-flow.ts";
import { HandClock, settle } from "../support/clock.ts";
import { keptLog } from "../support/kept-log.ts";

type Observed = Extract<IpvsState, { kind: "observed" }>;

const REAL = { address: "10.71.1.5", port: 8080, method: "masquerade", weight: 1, inactiveConnections: 0 } as const;

/** What a kernel has for each family, which steps take away; `refuse` is asked about each of them. */
class LeftKernel {
  readonly done: string[] = [];
  readonly left = new Map<Family, Observed>();
  connections = 0;
  /** Addresses that the node's own connections have. */
  sources: ReadonlySet<string> = new Set();
  /** Addresses that were told to be gone. */
  readonly gone: string[] = [];
  refuse: (line: string) => KernelError | undefined = () => undefined;

  /** UDP flows by the port of their client, and what was searched for. */
  flowsTo: readonly UdpFlow[] = [];
  readonly searched: unknown[] = [];

  /** One virtual server with so many connections as `connections` says, and one set. */
  leave(family: Family, address: string, protocol: Protocol = "TCP", ports: readonly number[] = [80]): void {
    const settings = { address, protocol, scheduler: "rr", schedulerFlags: 0, persistence: 0 } as const;
    const realServers = [{ ...REAL, activeConnections: 0 }];
    this.left.set(family, {
      kind: "observed",
      sets: [{ name: `KUBE-${family}`, type: "hash:ip", family: "inet", entries: new Set() }],
      servers: ports.map((port) => ({ ...settings, port, realServers })),
      devices: ["kube-ipvs0"],
      addresses: [address],
    });
  }

  readonly ipvs: Kernel["ipvs"] = async (family) => {
    const left = this.left.get(family);
    if (!left) throw new Error("a family that nobody serves");
    const busy = [{ ...REAL, activeConnections: this.connections }];
    return { ...left, servers: left.servers.map((server) => ({ ...server, realServers: busy })) };
  };

  flows: Kernel["flows"] = async (_, searches) => {
    this.searched.push(searches);
    return { flows: this.flowsTo, whole: true };
  };

  readonly deleteFlows: Kernel["deleteFlows"] = async (flows) => {
    this.done.push(...flows.map(({ destination }) => `- flow to ${destination.text}`));
    return flows.length;
  };

  /** Destroys the sets that nothing uses. */
  #destroySome(changes: readonly SetChange[]): Awaited<ReturnType<Kernel["apply"]>> {
    const items = changes.flatMap((change) => {
      const [line = ""] = printIpvsStep({ kind: "sets", changes: [change] });
      const error = this.refuse(line);
      if (!error) this.done.push(line);
      return error ? [{ key: line, error }] : [];
    });
    return { done: [], sent: new Map(), items, draining: [] };
  }

  readonly apply: Kernel["apply"] = async ({ steps }) => {
    const done: Step[] = [];
    for (const step of steps) {
      if (!isOfIpvs(step)) throw new Error("a step of another kind");
      if (step.kind === "sets") return this.#destroySome(step.changes);
      const lines = [...printIpvsStep(step)];
      const [error] = lines.flatMap((line) => this.refuse(line) ?? []);
      if (error && step.kind === "unbind") {
        return { done, sent: new Map(), items: [{ key: step.addresses[0] ?? "", error }], draining: [] };
      }
      if (error) return { done, refused: { step, error }, sent: new Map(), items: [], draining: [] };
      this.done.push(...lines);
      for (const [family, left] of this.left) this.left.set(family, without(left, step));
      done.push(step);
    }
    return { done, sent: new Map(), items: [], draining: [] };
  };
}

function isOfIpvs(step: Step): step is IpvsStep {
  return !["iptables", "sysctl", "counter"].includes(step.kind);
}

function without(left: Observed, step: IpvsStep): Observed {
  switch (step.kind) {
    case "unbind":
      return { ...left, addresses: left.addresses.filter((address) => !step.addresses.includes(address)) };
    case "servers": {
      const gone = step.changes.map(({ server }) => server.address);
      return { ...left, servers: left.servers.filter(({ address }) => !gone.includes(address)) };
    }
    case "remove-device":
      return { ...left, devices: [] };
    default:
      return left;
  }
}

function setUp(t: Test, addresses: Partial<Record<Family, string>>) {
  const kernel = new LeftKernel();
  const clock = new HandClock();
  const { logs, lines } = keptLog();
  const sets = new Map<Family, readonly string[]>();
  for (const family of ["IPv4", "IPv6"] as const) {
    const address = addresses[family];
    if (address === undefined) continue;
    kernel.leave(family, address);
    sets.set(family, [`KUBE-${family}`]);
  }
  const own: OwnConnections = {
    sources: async () => kernel.sources,
    gone: async (addresses) => void kernel.gone.push(...addresses),
  };
  const input: IpvsRetreatInput = { kernel, own, sets, device: "kube-ipvs0", clock, log: logs("ipvs-retreat.ts") };
  const retreat = new IpvsRetreat(input);
  t.teardown(() => retreat.stop().catch(() => {}));
  return { kernel, clock, lines, retreat };
}

const BUSY = new KernelError({ step: "ipset destroy", target: "KUBE-IPv4", code: "EBUSY", words: "in use" });

t.test("nothing goes before the rules of both families are in", async (t) => {
  const { kernel, clock, retreat, lines } = setUp(t, { IPv4: "10.96.1.1", IPv6: "fd00:96::1" });
  retreat.served("IPv4");
  retreat.served("IPv4");
  await settle();
  await clock.advance(60_000);
  t.strictSame(kernel.done, []);
  retreat.served("IPv6");
  await settle();
  t.strictSame(kernel.done, [
    "- kube-ipvs0 10.96.1.1",
    "- ipvs 10.96.1.1:80/TCP",
    "- kube-ipvs0 fd00:96::1",
    "- ipvs [fd00:96::1]:80/TCP",
    "- interface kube-ipvs0",
    "- ipset KUBE-IPv4",
    "- ipset KUBE-IPv6",
  ]);
  t.strictSame(lines, ['"Nothing of another mode is left"']);
  t.equal(clock.next(), undefined, "it is over");
  retreat.served("IPv6");
  await settle();
  t.equal(kernel.done.length, 7, "later passes change nothing");
});

t.test("connections are waited for, look by look, and named once", async (t) => {
  const { kernel, clock, retreat, lines } = setUp(t, { IPv4: "10.96.1.1" });
  kernel.connections = 2;
  retreat.served("IPv4");
  await settle();
  await clock.advance(35_000);
  t.strictSame(kernel.done, []);
  t.strictSame(lines, [
    '"Waiting for connections through virtual servers and addresses of IPVS mode to end" waiting="10.96.1.1:80/TCP"',
  ]);
  kernel.connections = 0;
  await clock.advance(10_000);
  t.equal(kernel.done.length, 4);
  t.equal(lines.length, 2);
});

t.test("a connection of the node itself is waited for, too", async (t) => {
  const { kernel, clock, retreat, lines } = setUp(t, { IPv4: "10.96.1.1" });
  kernel.sources = new Set(["10.96.1.1"]);
  retreat.served("IPv4");
  await settle();
  t.strictSame(kernel.done, ["- ipvs 10.96.1.1:80/TCP"]);
  t.strictSame(kernel.gone, []);
  t.match(lines, [/Waiting for connections .* to end" waiting="10\.96\.1\.1"/]);
  kernel.sources = new Set();
  await clock.advance(10_000);
  t.strictSame(kernel.done.slice(1), ["- kube-ipvs0 10.96.1.1", "- interface kube-ipvs0", "- ipset KUBE-IPv4"]);
  t.strictSame(kernel.gone, ["10.96.1.1"]);
});

t.test("flows of datagrams are moved before their virtual server goes", async (t) => {
  const { kernel, retreat } = setUp(t, { IPv4: "10.96.0.10" });
  kernel.leave("IPv4", "10.96.0.10", "UDP", [53]);
  kernel.connections = 3;
  kernel.flowsTo = ["10.96.0.10:53", "10.96.0.11:53"].map((to) => buildFlow({ to, by: "10.71.1.5:5353" }));
  retreat.served("IPv4");
  await settle();
  t.strictSame(kernel.done.slice(0, 3), [
    "- flow to 10.96.0.10:53",
    "- kube-ipvs0 10.96.0.10",
    "- ipvs 10.96.0.10:53/UDP",
  ]);
  t.match(kernel.searched, [[{ address: "10.96.0.10", port: 53 }]]);
});

t.test("for many virtual servers all flows are read once; where there are none, nothing is deleted", async (t) => {
  const { kernel, retreat } = setUp(t, { IPv4: "10.96.0.10" });
  const ports = Array.from({ length: 9 }, (_, index) => 53 + index);
  kernel.leave("IPv4", "10.96.0.10", "UDP", ports);
  retreat.served("IPv4");
  await settle();
  t.strictSame(kernel.searched, ["all"]);
  t.equal(kernel.done[0], "- kube-ipvs0 10.96.0.10");
});

t.test("flows that cannot be read hold it up no longer than connections could", async (t) => {
  const { kernel, clock, retreat, lines } = setUp(t, { IPv4: "10.96.0.10" });
  kernel.leave("IPv4", "10.96.0.10", "UDP", [53]);
  kernel.flows = () => Promise.reject(BUSY);
  retreat.served("IPv4");
  await settle();
  t.match(lines, [/retrying at growing intervals/]);
  await clock.advance(LONGEST_WAIT + 300_000);
  t.match(lines.at(-1), /Nothing of another mode is left/);
});

t.test("one that never ends is not waited for longer than the kernel would", async (t) => {
  const { kernel, clock, retreat } = setUp(t, { IPv4: "10.96.1.1" });
  kernel.connections = 1;
  retreat.served("IPv4");
  await settle();
  await clock.advance(LONGEST_WAIT - 1);
  t.strictSame(kernel.done, []);
  await clock.advance(10_000);
  t.match(kernel.done, ["- kube-ipvs0 10.96.1.1", "- ipvs 10.96.1.1:80/TCP"]);
});

for (const [name, what] of [
  ["a step", /ipset/],
  ["one address", /kube-ipvs0 10/],
] as const) {
  t.test(`${name} that is refused is tried again, and the reason told`, async (t) => {
    const { kernel, clock, retreat, lines } = setUp(t, { IPv4: "10.96.1.1" });
    kernel.refuse = (line) => (what.test(line) ? BUSY : undefined);
    retreat.served("IPv4");
    await settle();
    t.match(lines, [/^"Cannot remove what the previous proxy mode left; retrying at growing intervals" err=".*in use/]);
    kernel.refuse = () => undefined;
    await clock.advance(10_000);
    t.match(lines[1], /Nothing of another mode is left/);
    t.equal(kernel.done.at(-1), "- ipset KUBE-IPv4");
  });
}

t.test("a daemon that ends leaves the rest to the next one", async (t) => {
  const { kernel, clock, retreat } = setUp(t, { IPv4: "10.96.1.1" });
  kernel.connections = 1;
  retreat.served("IPv4");
  await settle();
  await retreat.stop();
  t.equal(clock.next(), undefined);
  t.strictSame(kernel.done, []);
});

t.test("one that ends in the midst of a look begins no further one", async (t) => {
  const { kernel, clock, retreat } = setUp(t, { IPv4: "10.96.1.1" });
  kernel.connections = 1;
  retreat.served("IPv4");
  await retreat.stop();
  t.equal(clock.next(), undefined);
});

t.test("a fault of ours is not taken for a refusal", async (t) => {
  const { kernel, retreat } = setUp(t, { IPv4: "10.96.1.1" });
  kernel.refuse = () => {
    throw new TypeError("a bug");
  };
  retreat.served("IPv4");
  await t.rejects(retreat.stop(), TypeError);
});

t.test("a set in use keeps no other, is named once, and is tried again ever more rarely", async (t) => {
  const { kernel, clock, retreat, lines } = setUp(t, { IPv4: "10.96.1.1", IPv6: "fd00:96::1" });
  let tries = 0;
  kernel.refuse = (line) => {
    if (line !== "- ipset KUBE-IPv4") return undefined;
    tries++;
    return BUSY;
  };
  retreat.served("IPv4");
  retreat.served("IPv6");
  await settle();
  t.ok(kernel.done.includes("- ipset KUBE-IPv6") && kernel.done.includes("- interface kube-ipvs0"));
  for (let minute = 0; minute < 60; minute++) await clock.advance(60_000);
  t.equal(lines.length, 1, "in an hour");
  t.match(lines[0], /KUBE-IPv4/);
  const [before, rest] = [tries, kernel.done.length];
  for (let minute = 0; minute < 30; minute++) await clock.advance(60_000);
  t.ok(tries - before <= 6, "each five minutes at most");
  t.ok(tries > before && kernel.done.length >= rest);
  kernel.refuse = () => undefined;
  await clock.advance(300_000);
  t.match(lines.at(-1), /Nothing of another mode is left/);
});

t.test("an address that stays bound keeps its virtual server", async (t) => {
  const { kernel, retreat } = setUp(t, { IPv4: "10.96.1.1" });
  kernel.refuse = (line) => (line.startsWith("- kube-ipvs0 ") ? BUSY : undefined);
  retreat.served("IPv4");
  await settle();
  t.strictSame([kernel.done, kernel.gone], [[], []]);
});
