// What is desired of a Service port while some of its items are left out.
import t from "tap";
import { wholeIpvs } from "../../src/state/ipvs-whole.ts";
import { dependentOf, shareWithout, withheldOf } from "../../src/state/ipvs-withheld.ts";
import { emptyState, type IpvsShare, type Withheld } from "../../src/state/kernel-state.ts";
import { buildIpvsState, buildObserved, buildServed } from "../support/build-ipvs.ts";
import { buildFragment } from "../support/fragments.ts";

const FRAGMENT = buildServed("10.0.0.1", ["10.1.0.1", "10.1.0.2"]);

/** Rejected items alone. */
function rejecting(keys: readonly string[]): Withheld {
  return { rejected: new Set(keys), dependent: new Set() };
}

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
    const share = shareWithout(FRAGMENT, rejecting(withheld));
    t.strictSame(share && print(share), is);
    const { sets, servers, addresses } = wholeIpvs(buildIpvsState([FRAGMENT], { withheld: rejecting(withheld) }));
    const entries = sets.flatMap((set) => [...set.entries].map((entry) => ({ set: set.name, entry })));
    t.strictSame(print({ entries, servers, addresses }), is, "and so of the whole");
  });
}

t.test("a part of another mode has nothing to do without", async (t) => {
  t.equal(shareWithout(buildFragment("a"), rejecting(["10.0.0.1"])), undefined);
});

t.test("only what is wanted is done without, and the same nothing where it is not told of", async (t) => {
  const withheld = rejecting(["10.0.0.1"]);
  t.equal(withheldOf(buildIpvsState([], { withheld })), withheld);
  const nothing = [buildIpvsState([]), buildObserved(), emptyState("IPv6")].map(withheldOf);
  t.strictSame(new Set(nothing).size, 1);
  t.strictSame(nothing[0], rejecting([]));
});

t.test("an entry that depends on a rejected one is left out, and all else stays", async (t) => {
  const dependent = new Set(["KUBE-IPVS-IPS 10.0.0.1"]);
  const share = shareWithout(FRAGMENT, { rejected: new Set(), dependent });
  t.strictSame(share && print(share), ["KUBE-CLUSTER-IP", "10.0.0.1", "server of 2"]);
});

t.test("an address is rejected by the filter only while an entry admits its ports", async (t) => {
  const admission = { admitting: new Set(["KUBE-6-CLUSTER-IP"]), rejecting: "KUBE-6-IPVS-IPS" };
  t.equal(dependentOf("KUBE-6-CLUSTER-IP fd00::1,tcp:80", admission), "KUBE-6-IPVS-IPS fd00::1");
  t.equal(dependentOf("KUBE-6-LOOP-BACK fd00::1,tcp:80,fd00::1", admission), undefined);
  t.equal(dependentOf("KUBE-6-CLUSTER-IP", admission), undefined);
  t.equal(dependentOf("[fd00::1]:80/TCP", admission), undefined);
});
