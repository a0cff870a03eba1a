// What do fragments come to that claim the same entries, servers and addresses?
import t from "tap";
import { pagedList } from "../../src/paged-list.ts";
import { wholeIpvs } from "../../src/state/ipvs-whole.ts";
import { emptyState, type IpvsShare, type KernelState } from "../../src/state/kernel-state.ts";
import type { VirtualServer } from "../../src/state/virtual-server.ts";
import { buildFragment } from "../support/fragments.ts";

const SETS = [
  { name: "B", type: "bitmap:port", family: "none" },
  { name: "A", type: "hash:ip", family: "inet" },
] as const;

t.test("what two Services claim is there once", async (t) => {
  const entry = { set: "A", entry: "10.0.0.1" };
  const whole = wholeIpvs(
    stateOf(
      { entries: [entry], addresses: ["10.0.0.2", "10.0.0.1"] },
      { entries: [entry, { set: "A", entry: "10.0.0.2" }], addresses: ["10.0.0.1"] },
    ),
  );
  t.strictSame(whole.addresses, ["10.0.0.1", "10.0.0.2"]);
  t.strictSame(whole.sets, [
    { ...SETS[0], entries: new Set() },
    { ...SETS[1], entries: new Set(["10.0.0.1", "10.0.0.2"]) },
  ]);
});

t.test("a virtual server that two Services claim is the last one's, real servers and all", async (t) => {
  const first = [server("10.0.0.1", 1, 600), server("10.0.0.9", 1)];
  const second = [server("10.0.0.1", 2)];
  t.strictSame(wholeIpvs(stateOf({ servers: first }, { servers: second })).servers, [second[0], first[1]]);
  const [kept] = wholeIpvs(stateOf({ servers: second }, { servers: first })).servers;
  t.strictSame(kept, first[0], "and so the other way round");
});

t.test("one number in two protocols is two virtual servers", async (t) => {
  const tcp = server("10.0.0.1", 1);
  const udp = { ...tcp, protocol: "UDP" } as const;
  t.strictSame(wholeIpvs(stateOf({ servers: [tcp, udp] })).servers, [tcp, udp]);
});

t.test("a state of another mode has nothing, and so has one that was looked up", async (t) => {
  const nothing = { sets: [], servers: [], addresses: [] };
  t.strictSame(wholeIpvs({ ...emptyState("IPv4"), fragments: pagedList([buildFragment("ns/s/TCP")]) }), nothing);
  const sets = [{ ...SETS[0], entries: new Set(["80"]) }];
  const ipvs = { kind: "observed", sets, servers: [], devices: [], addresses: [] } as const;
  t.strictSame(wholeIpvs({ ...emptyState("IPv4"), observed: true, ipvs }), nothing);
});

function stateOf(...shares: readonly Partial<IpvsShare>[]): KernelState {
  const fragments = shares.map((given, at) => {
    const share = { entries: [], servers: [], addresses: [], rules: [], ...given };
    return { ...buildFragment(`ns/s-${at}/TCP`, []), ipvs: () => share };
  });
  const ipvs = { kind: "wanted", sets: SETS, devices: ["kube-ipvs0"], spared: [] } as const;
  return { ...emptyState("IPv4"), fragments: pagedList(fragments), ipvs };
}

function server(address: string, realPort: number, persistence = 0): VirtualServer {
  return {
    address,
    protocol: "TCP",
    port: 80,
    scheduler: "rr",
    schedulerFlags: 0,
    persistence,
    realServers: [{ address: "10.1.0.1", port: realPort, method: "masquerade", weight: 1 }],
  };
}
