// What is done to the real servers behind one virtual server?
import t from "tap";
import { diffRealServers } from "../../src/plan/real-servers.ts";
import type { BusyServer, RealServer, VirtualServer } from "../../src/state/virtual-server.ts";
import { buildReal, buildServer } from "../support/build-ipvs.ts";

const [A, B] = [buildReal("10.1.0.1"), buildReal("10.1.0.2")];
const busy = (real: RealServer, activeConnections: number, inactiveConnections = 0): BusyServer => ({
  ...real,
  activeConnections,
  inactiveConnections,
});

interface Case {
  readonly name: string;
  readonly protocol?: VirtualServer["protocol"];
  readonly wanted: readonly RealServer[];
  readonly actual: readonly (RealServer | BusyServer)[];
  readonly mends?: boolean;
  /** What is changed, retired and found draining, by the last number of the address. */
  readonly is: readonly string[];
}

const CASES: readonly Case[] = [
  { name: "one comes", wanted: [A, B], actual: [A], is: ["add-real 2"] },
  { name: "all is as wanted", wanted: [A], actual: [busy(A, 3)], is: [] },
  {
    name: "another port of an endpoint is another one",
    wanted: [A],
    actual: [{ ...A, port: 81 }],
    is: ["add-real 1", "retire 1"],
  },
  { name: "another method is left as it is", wanted: [A], actual: [{ ...A, method: "route" }], mends: true, is: [] },
  { name: "an operator's weight stays", wanted: [A], actual: [{ ...A, weight: 7 }], is: [] },
  {
    name: "an operator's weight goes at a start",
    wanted: [A],
    actual: [{ ...A, weight: 7 }],
    mends: true,
    is: ["set-real 1"],
  },
  { name: "one without connections is retired", wanted: [], actual: [busy(A, 0)], is: ["retire 1"] },
  { name: "one of which nothing is known is retired", wanted: [], actual: [A], is: ["retire 1"] },
  { name: "one with connections and a weight is retired", wanted: [], actual: [busy(A, 1)], is: ["retire 1"] },
  { name: "one whose connections end drains", wanted: [], actual: [busy({ ...A, weight: 0 }, 0, 1)], is: ["drains 1"] },
  { name: "one that has drained is retired", wanted: [], actual: [busy({ ...A, weight: 0 }, 0)], is: ["retire 1"] },
  {
    name: "UDP waits for nobody",
    protocol: "UDP",
    wanted: [B],
    actual: [busy(A, 5)],
    is: ["add-real 2", "remove-real 1"],
  },
  {
    name: "nor does SCTP",
    protocol: "SCTP",
    wanted: [],
    actual: [busy({ ...A, weight: 0 }, 5)],
    is: ["remove-real 1"],
  },
];

for (const { name, protocol = "TCP", wanted: realServers, actual, mends = false, is } of CASES) {
  t.test(name, async (t) => {
    const wanted = buildServer("10.0.0.1", [], { protocol, realServers });
    const { changes, retire, draining } = diffRealServers({ wanted, actual, mend: () => mends });
    const last = ({ address }: { readonly address: string }) => address.at(-1);
    t.strictSame(
      [
        ...changes.map((change) => `${change.kind} ${"real" in change ? last(change.real) : "?"}`),
        ...retire.map(({ real }) => `retire ${last(real)}`),
        ...draining.map(({ real }) => `drains ${last(real)}`),
      ],
      is,
    );
  });
}

t.test("whose weight is mended is asked for by its key", async (t) => {
  const wanted = buildServer("10.0.0.1", ["10.1.0.1", "10.1.0.2"]);
  const actual = wanted.realServers.map((real) => ({ ...real, weight: 0 }));
  const { changes } = diffRealServers({ wanted, actual, mend: (key) => key === "10.0.0.1:80/TCP to 10.1.0.2 8080" });
  t.match(changes, [{ kind: "set-real", real: { address: "10.1.0.2", weight: 1 } }]);
  t.equal(changes.length, 1);
});
