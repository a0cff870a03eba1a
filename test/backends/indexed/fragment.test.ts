// What does one Service cost in this layout, and what does it put into sets?
import t from "tap";
import type { RuleOptions } from "../../../src/model/settings.ts";
import { type World, worldOf } from "../../../src/model/world.ts";
import type { Family } from "../../../src/net/family.ts";
import { printTables } from "../../../src/state/iptables-print.ts";
import { wholeIpvs } from "../../../src/state/ipvs-whole.ts";
import { wholeTable } from "../../../src/state/whole-tables.ts";
import {
  buildEndpoint,
  buildFacts,
  buildOptions,
  buildRecord,
  buildService,
  buildSlice,
  buildSnapshot,
} from "../../support/build.ts";
import { BACKEND, INDEXED_BACKEND } from "../../support/templates.ts";

interface Given {
  readonly endpoints: number;
  readonly affinity?: boolean;
  readonly options?: Partial<RuleOptions>;
  readonly family?: Family;
}

function worldWith({ endpoints, affinity = false, options = {}, family = "IPv4" }: Given): World {
  const service = buildService({
    affinitySeconds: affinity ? 600 : 0,
    clusterIP: family === "IPv4" ? "10.0.0.1" : "fd00::1",
    externalIPs: family === "IPv4" ? ["1.2.3.4"] : ["2001::5"],
    externalTrafficPolicy: "Local",
  });
  const own = Array.from({ length: endpoints }, (_, host) =>
    buildEndpoint(family === "IPv4" ? `10.1.0.${host}` : `fd00:1::${host}`, { nodeName: "n1" }),
  );
  const snapshot = buildSnapshot([buildRecord(service, buildSlice(own, { family }))]);
  return worldOf({ snapshot, nodeName: "n1", options: buildOptions(options), facts: buildFacts(), family });
}

const PODS = { clusterCIDRs: ["10.1.0.0/16", "fd00:1::/64"] };

t.test("sets hold the cluster IP only where a rule asks for it", async (t) => {
  for (const [name, options, sizes] of [
    ["pods are told by their range", PODS, [1, 3]],
    ["everything is masqueraded", { masqueradeAll: true }, [1, 3]],
    [
      "pods are told by their interface",
      { detectLocalMode: "InterfaceNamePrefix", interfaceNamePrefix: "cni" },
      [1, 3],
    ],
    ["nobody tells pods", {}, [0, 3]],
    ["every address is a pod's", { clusterCIDRs: ["0.0.0.0/0"] }, [0, 3]],
  ] as const) {
    const state = INDEXED_BACKEND.desired(worldWith({ endpoints: 3, options }));
    t.strictSame(
      wholeIpvs(state).sets.map(({ entries }) => [...entries].length),
      sizes,
      name,
    );
    const asks = [...printTables(state)].some((line) => line.includes("--match-set KUBE-IX-CLUSTER-IP"));
    t.equal(asks, sizes[0] > 0, `${name}: rules ask`);
  }
});

t.test("each family has sets of its own", async (t) => {
  const [v4, v6] = (["IPv4", "IPv6"] as const).map((family) => {
    const { sets } = wholeIpvs(INDEXED_BACKEND.desired(worldWith({ endpoints: 1, options: PODS, family })));
    return sets.map(({ name }) => name);
  });
  t.strictSame(v4, ["KUBE-IX-CLUSTER-IP", "KUBE-IX-LOOP-BACK"]);
  t.strictSame(v6, ["KUBE-6-IX-CLUSTER-IP", "KUBE-6-IX-LOOP-BACK"]);
});

t.test("as many lines as are told beforehand are about those that are written", async (t) => {
  for (const endpoints of [1, 5, 20, 200]) {
    for (const affinity of [false, true]) {
      const [fragment] = INDEXED_BACKEND.desired(worldWith({ endpoints, affinity, options: PODS })).fragments;
      if (!fragment) throw new Error("no fragment");
      const lines = fragment.chains("nat").reduce((sum, { rules }) => sum + 1 + rules.length, 0);
      t.ok(
        lines < 4 * fragment.size + 10 && fragment.size < 4 * lines,
        `${endpoints}: ${lines}, told ${fragment.size}`,
      );
    }
  }
});

t.test("five endpoints take fewer rules than in the other layout", async (t) => {
  const world = worldWith({ endpoints: 5, options: PODS });
  const count = (backend: typeof BACKEND) => {
    const [fragment] = backend.desired(world).fragments;
    return fragment?.chains("nat").reduce((sum, { rules }) => sum + rules.length, 0) ?? 0;
  };
  t.strictSame([count(INDEXED_BACKEND), count(BACKEND)], [15, 25], "both with a list for the external IP");
});

t.test("no chain of a Service has more rules than a handful, affinity aside", async (t) => {
  const chains = wholeTable(INDEXED_BACKEND.desired(worldWith({ endpoints: 200, options: PODS })), "nat");
  const choosing = [...chains.values()].filter(({ name }) => /^KUBE-IX-(?:SVC|SVL|SUB)-/.test(name));
  t.ok(choosing.length > 50);
  for (const { name, rules } of choosing) t.ok(rules.length <= 8, `${name}: ${rules.length}`);
});

t.test("other tables have no part of it", async (t) => {
  const [fragment] = INDEXED_BACKEND.desired(worldWith({ endpoints: 1 })).fragments;
  t.strictSame(fragment?.chains("filter"), []);
  t.equal(fragment?.shares("mangle").size, 0);
});
