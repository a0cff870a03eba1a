// What goes of IPVS mode, and what stays for connections that are open?
import t from "tap";
import type { Protocol } from "../../src/net/protocol.ts";
import { printIpvsStep } from "../../src/plan/ipvs-print.ts";
import { lastSteps, planRetreat } from "../../src/plan/ipvs-retreat.ts";
import type { IpvsStep } from "../../src/plan/plan.ts";
import type { IpSet } from "../../src/state/ip-set.ts";
import type { IpvsState } from "../../src/state/kernel-state.ts";
import type { ObservedServer } from "../../src/state/virtual-server.ts";

type Observed = Extract<IpvsState, { kind: "observed" }>;

const DEVICE = "kube-ipvs0";

interface Connections {
  readonly active?: number;
  readonly inactive?: number;
}

/** A virtual server with one real server that has so many connections. */
function server(address: string, port: number, { active = 0, inactive = 0 }: Connections = {}): ObservedServer {
  const real = { address: "10.71.1.5", port: 8080, method: "masquerade", weight: 1 } as const;
  const realServers = [{ ...real, activeConnections: active, inactiveConnections: inactive }];
  return { address, port, protocol: "TCP", scheduler: "rr", schedulerFlags: 0, persistence: 0, realServers };
}

function found(given: Partial<Observed>): Observed {
  return { kind: "observed", sets: [], servers: [], devices: [DEVICE], addresses: [], ...given };
}

function lines(steps: readonly IpvsStep[]): readonly string[] {
  return steps.flatMap((step) => [...printIpvsStep(step)]);
}

function retreat(given: Partial<Observed>, sources: ReadonlySet<string> | "all" = new Set()) {
  const { steps, waiting } = planRetreat(found(given), DEVICE, sources);
  return { lines: lines(steps), waiting };
}

t.test("without connections, an address goes and then its virtual server", async (t) => {
  t.same(retreat({ addresses: ["10.96.1.1"], servers: [server("10.96.1.1", 80)] }), {
    lines: ["- kube-ipvs0 10.96.1.1", "- ipvs 10.96.1.1:80/TCP"],
    waiting: [],
  });
});

t.test("connections are waited for, open ones and those that end", async (t) => {
  for (const busy of [{ active: 1 }, { inactive: 1 }]) {
    t.same(retreat({ addresses: ["10.96.1.1"], servers: [server("10.96.1.1", 80, busy)] }), {
      lines: [],
      waiting: ["10.96.1.1:80/TCP"],
    });
  }
});

t.test("an address stays for one port of several", async (t) => {
  const servers = [server("10.96.1.1", 80, { active: 1 }), server("10.96.1.1", 443), server("10.96.1.2", 80)];
  t.same(retreat({ addresses: ["10.96.1.1", "10.96.1.2"], servers }), {
    lines: ["- kube-ipvs0 10.96.1.2", "- ipvs 10.96.1.1:443/TCP", "- ipvs 10.96.1.2:80/TCP"],
    waiting: ["10.96.1.1:80/TCP"],
  });
});

t.test("an address stays that a connection of the node itself has, though no virtual server needs it", async (t) => {
  const given = { addresses: ["10.96.1.1", "10.96.1.2"], servers: [server("10.96.1.1", 80)] };
  t.same(retreat(given, new Set(["10.96.1.1", "192.0.2.10"])), {
    lines: ["- kube-ipvs0 10.96.1.2", "- ipvs 10.96.1.1:80/TCP"],
    waiting: ["10.96.1.1"],
  });
});

t.test("flows of datagrams are not waited for, but told to be moved", async (t) => {
  const names: ObservedServer = { ...server("10.96.0.10", 53, { active: 7 }), protocol: "UDP" };
  const { steps, waiting, datagrams } = planRetreat(
    found({ addresses: ["10.96.0.10"], servers: [names, { ...names, address: "10.50.0.1" }] }),
    DEVICE,
    new Set(),
  );
  t.strictSame(lines(steps), ["- kube-ipvs0 10.96.0.10", "- ipvs 10.96.0.10:53/UDP"]);
  t.strictSame(waiting, []);
  t.strictSame(datagrams, [names], "but for somebody else's");
});

t.test("when the wait is over, all that is ours goes", async (t) => {
  t.same(retreat({ addresses: ["10.96.1.1"], servers: [server("10.96.1.1", 80, { active: 1 })] }, "all"), {
    lines: ["- kube-ipvs0 10.96.1.1", "- ipvs 10.96.1.1:80/TCP"],
    waiting: [],
  });
});

const PORTS: Pick<IpSet, "type" | "family"> = { type: "bitmap:port", family: "none" };

const NODE_PORTS: readonly (readonly [name: string, set: IpSet, protocol: Protocol, isOurs: boolean])[] = [
  ["of its protocol", { ...PORTS, name: "KUBE-NODE-PORT-TCP", entries: new Set(["31080"]) }, "TCP", true],
  ["of IPv6", { ...PORTS, name: "KUBE-6-NODE-PORT-TCP", entries: new Set(["31080"]) }, "TCP", true],
  ["of another protocol", { ...PORTS, name: "KUBE-NODE-PORT-UDP", entries: new Set(["31080"]) }, "TCP", false],
  ["of another port", { ...PORTS, name: "KUBE-NODE-PORT-TCP", entries: new Set(["31081"]) }, "TCP", false],
  ["of health checks", { ...PORTS, name: "KUBE-HEALTH-CHECK-NODE-PORT", entries: new Set(["31080"]) }, "TCP", false],
  [
    "of SCTP, at its address",
    {
      name: "KUBE-NODE-PORT-SCTP-HASH",
      type: "hash:ip,port",
      family: "inet",
      entries: new Set(["192.0.2.10,sctp:31080"]),
    },
    "SCTP",
    true,
  ],
  [
    "of SCTP, but another protocol there",
    {
      name: "KUBE-NODE-PORT-SCTP-HASH",
      type: "hash:ip,port",
      family: "inet",
      entries: new Set(["192.0.2.10,sctp:31080"]),
    },
    "TCP",
    false,
  ],
  ["of no port at all", { ...PORTS, name: "KUBE-NODE-PORT-TCP", entries: new Set(["odd"]) }, "TCP", false],
];

for (const [name, set, protocol, isOurs] of NODE_PORTS) {
  t.test(
    `a virtual server at an address of the node, and a set ${name}: ${isOurs ? "ours" : "not ours"}`,
    async (t) => {
      const servers = [{ ...server("192.0.2.10", 31_080), protocol }];
      t.same(retreat({ sets: [set], servers }).lines, isOurs ? [`- ipvs 192.0.2.10:31080/${protocol}`] : []);
    },
  );
}

t.test("somebody else's virtual server is neither taken away nor waited for", async (t) => {
  const servers = [server("10.50.0.1", 80, { active: 9 })];
  t.same(retreat({ servers }), { lines: [], waiting: [] });
  t.same(retreat({ servers }, "all"), { lines: [], waiting: [] });
});

t.test("in the end the interface goes, and the sets that no rule refers to any more", async (t) => {
  const sets: readonly IpSet[] = [{ ...PORTS, name: "KUBE-NODE-PORT-TCP", entries: new Set() }];
  t.strictSame(lines(lastSteps(found({ sets }), DEVICE)), ["- interface kube-ipvs0", "- ipset KUBE-NODE-PORT-TCP"]);
  t.strictSame(lastSteps(found({ devices: [] }), DEVICE), []);
});
