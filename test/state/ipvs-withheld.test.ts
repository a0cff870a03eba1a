// What is left of a Service when some of its things are done without?
import t from "tap";
import { wholeIpvs } from "../../src/state/ipvs-whole.ts";
import { shareWithout, withheldOf } from "../../src/state/ipvs-withheld.ts";
import { emptyState, type IpvsShare } from "../../src/state/kernel-state.ts";
import { buildIpvsState, buildObserved, buildServed } from "../support/build-ipvs.ts";
import { buildFragment } from "../support/fragments.ts";

const FRAGMENT = buildServed("10.0.0.1", ["10.1.0.1", "10.1.0.2"]);

const CASES = [
  { name: "nothing", withheld: [], is: ["KUBE-CLUSTER-IP", "KUBE-IPVS-IPS", "10.0.0.1", "server of 2"] },
  {
    name: "a thing of others",
    withheld: ["10.0.0.9"],
    is: ["KUBE-CLUSTER-IP", "KUBE-IPVS-IPS", "10.0.0.1", "server of 2"],
  },
  { name: "an address", withheld: ["10.0.0.1"], is: ["KUBE-CLUSTER-IP"] },
  { name: "an entry", withheld: ["KUBE-CLUSTER-IP 10.0.0.1,tcp:80"], is: ["KUBE-IPVS-IPS", "10.0.0.1", "server of 2"] },
  { name: "a virtual server", withheld: ["10.0.0.1:80/TCP"], is: ["KUBE-CLUSTER-IP", "KUBE-IPVS-IPS", "10.0.0.1"] },
  {
    name: "a real server",
    withheld: ["10.0.0.1:80/TCP to 10.1.0.2 8080"],
    is: ["KUBE-CLUSTER-IP", "KUBE-IPVS-IPS", "10.0.0.1", "server of 1"],
  },
];

function print(share: Pick<IpvsShare, "entries" | "servers" | "addresses">): readonly string[] {
  const { entries, servers, addresses } = share;
  return [
    ...entries.map(({ set }) => set),
    ...addresses,
    ...servers.map(({ realServers }) => `server of ${realServers.length}`),
  ];
}

for (const { name, withheld, is } of CASES) {
  t.test(`without ${name}`, async (t) => {
    const share = shareWithout(FRAGMENT, new Set(withheld));
    t.strictSame(share && print(share), is);
    const { sets, servers, addresses } = wholeIpvs(buildIpvsState([FRAGMENT], { withheld: new Set(withheld) }));
    const entries = sets.flatMap((set) => [...set.entries].map((entry) => ({ set: set.name, entry })));
    t.strictSame(print({ entries, servers, addresses }), is, "and so of the whole");
  });
}

t.test("a part of another mode has nothing to do without", async (t) => {
  t.equal(shareWithout(buildFragment("a"), new Set(["10.0.0.1"])), undefined);
});

t.test("only what is wanted is done without, and the same nothing where it is not told of", async (t) => {
  const withheld = new Set(["10.0.0.1"]);
  t.equal(withheldOf(buildIpvsState([], { withheld })), withheld);
  const nothing = [buildIpvsState([]), buildObserved(), emptyState("IPv6")].map(withheldOf);
  t.strictSame(new Set(nothing).size, 1);
  t.equal(nothing[0]?.size, 0);
});
