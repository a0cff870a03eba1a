// Are virtual servers that do the same drawn as one, with the shares that their scheduler gives?
import t from "tap";
import { drawRealServers, groupServers, isEntryOf } from "../../src/draw/server-boxes.ts";
import type { Fragment } from "../../src/state/kernel-state.ts";
import type { VirtualServer } from "../../src/state/virtual-server.ts";

function server(given: Partial<VirtualServer> = {}, ...weights: readonly number[]): VirtualServer {
  return {
    address: "10.96.0.1",
    protocol: "TCP",
    port: 80,
    scheduler: "rr",
    schedulerFlags: 0,
    persistence: 0,
    realServers: weights.map((weight, index) => {
      return { address: `10.71.0.${index}`, port: 8080, method: "masquerade" as const, weight };
    }),
    ...given,
  };
}

function fragmentOf(...servers: readonly VirtualServer[]): Fragment {
  const share = { entries: [], servers, addresses: [], rules: [] };
  return { key: "a/b:c/TCP", size: 0, chains: () => [], shares: () => new Map(), ipvs: () => share };
}

t.test("a mode without virtual servers has none", async (t) => {
  t.strictSame(
    groupServers({ key: "a/b/TCP", size: 0, chains: () => [], shares: () => new Map(), ipvs: () => undefined }),
    [],
  );
});

t.test("the same real servers in the same way are one group", async (t) => {
  const groups = groupServers(
    fragmentOf(
      server({}, 1),
      server({ address: "203.0.113.5" }, 1),
      server({ port: 31_080, persistence: 60 }, 1),
      server({ address: "198.51.100.1" }),
      server({ address: "203.0.113.5", port: 81 }, 1),
    ),
  );
  t.strictSame(
    groups.map(({ box: { name, notes } }) => [name, ...notes]),
    [
      ["10.96.0.1:80/TCP", "203.0.113.5:80/TCP", "203.0.113.5:81/TCP", "scheduler rr"],
      ["10.96.0.1:31080/TCP", "scheduler rr", "affinity: 60 s"],
      ["198.51.100.1:80/TCP", "scheduler rr", "no real server: refuses"],
    ],
  );
});

const SHARES: readonly (readonly [string, readonly number[], readonly string[]])[] = [
  ["rr", [1], [""]],
  ["rr", [1, 1], ["1/2 (50 %)", "1/2 (50 %)"]],
  ["rr", [5, 1, 0], ["1/2 (50 %)", "1/2 (50 %)", "drains"]],
  ["wrr", [3, 1, 0], ["3/4 (75 %)", "1/4 (25 %)", "drains"]],
  ["wlc", [1, 2], ["", "weight 2"]],
  ["sh", [1, 1], ["", ""]],
];

for (const [scheduler, weights, labels] of SHARES) {
  t.test(`${scheduler} with weights ${weights.join(", ")}`, async (t) => {
    const [group] = groupServers(fragmentOf(server({ scheduler }, ...weights)));
    t.strictSame(group && drawRealServers(group).map(([, arrow]) => arrow.labels.join()), labels);
  });
}

t.test("which entries of sets stand for a virtual server", async (t) => {
  const [group] = groupServers(fragmentOf(server({ address: "fd00::1", port: 53, protocol: "UDP" }, 1)));
  if (!group) throw new Error("no group");
  t.ok(isEntryOf(group, { text: "fd00::1,udp:53", protocol: undefined }));
  t.notOk(isEntryOf(group, { text: "fd00::1,tcp:53", protocol: undefined }));
  t.ok(isEntryOf(group, { text: "53", protocol: "udp" }), "a port, of a rule that asks for the protocol");
  t.notOk(isEntryOf(group, { text: "53", protocol: "tcp" }));
  t.equal(group.box.name, "[fd00::1]:53/UDP");
  t.equal(drawRealServers(group)[0]?.[0].name, "10.71.0.0:8080");
});
