// The steps of a change from a desired state that was applied before.
import t from "tap";
import { changesBetween } from "../../src/paged-list.ts";
import { diff } from "../../src/plan/diff.ts";
import { stepsOf } from "../../src/plan/ipvs-changes.ts";
import { diffHeld } from "../../src/plan/ipvs-held.ts";
import { printPlan } from "../../src/plan/print.ts";
import type { Fragment } from "../../src/state/kernel-state.ts";
import { buildIpvsFragment, buildIpvsState, buildServed, buildServer, CLUSTER_IP } from "../support/build-ipvs.ts";
import { buildFragment } from "../support/fragments.ts";

type Given = Parameters<typeof buildIpvsState>[1];

function stepsFor(before: readonly Fragment[], after: readonly Fragment[], given: Given = {}): readonly string[] {
  const [held, wanted] = [buildIpvsState(before, given), buildIpvsState(after, given)];
  if (wanted.ipvs?.kind !== "wanted") throw new Error("no such state");
  const changed = changesBetween(wanted.fragments, held.fragments);
  const { early, late } = stepsOf(diffHeld({ wanted, ipvs: wanted.ipvs, held, changed }));
  return [...printPlan({ steps: [...early, ...late], kept: [] })];
}

const [A, B] = [buildServed("10.0.0.1", ["10.1.0.1"]), buildServed("10.0.0.2", ["10.1.0.2"])];

t.test("a Service comes, and goes the other way round", async (t) => {
  t.strictSame(stepsFor([A], [A, B]), [
    "+ ipvs 10.0.0.2:80/TCP rr",
    "+ ipvs 10.0.0.2:80/TCP to 10.1.0.2:8080 weight 1",
    "+ kube-ipvs0 10.0.0.2",
    "+ ipset KUBE-CLUSTER-IP 10.0.0.2,tcp:80",
    "+ ipset KUBE-IPVS-IPS 10.0.0.2",
  ]);
  t.strictSame(stepsFor([A, B], [A]), [
    "- ipset KUBE-CLUSTER-IP 10.0.0.2,tcp:80",
    "- ipset KUBE-IPVS-IPS 10.0.0.2",
    "- kube-ipvs0 10.0.0.2",
    "- ipvs 10.0.0.2:80/TCP",
  ]);
});

t.test("nothing for nothing, and nothing for the same made anew", async (t) => {
  t.strictSame(stepsFor([A, B], [A, B]), []);
  t.strictSame(stepsFor([A], [buildServed("10.0.0.1", ["10.1.0.1"])]), []);
});

t.test("endpoints come and go, affinity is set", async (t) => {
  t.strictSame(stepsFor([A], [buildServed("10.0.0.1", ["10.1.0.3"], { persistence: 600 })]), [
    "+ ipvs 10.0.0.1:80/TCP rr persistent 600",
    "+ ipvs 10.0.0.1:80/TCP to 10.1.0.3:8080 weight 1",
    "- ipvs 10.0.0.1:80/TCP to 10.1.0.1:8080 once it has no connection",
  ]);
});

t.test("another weight is set", async (t) => {
  const light = buildServer("10.0.0.1", []);
  const weighing = (weight: number) =>
    buildIpvsFragment("a", {
      servers: [{ ...light, realServers: [{ address: "10.1.0.1", port: 1, method: "masquerade", weight }] }],
    });
  t.strictSame(stepsFor([weighing(1)], [weighing(2)]), ["+ ipvs 10.0.0.1:80/TCP to 10.1.0.1:1 weight 2"]);
});

t.test("what two Services have goes with the last of them", async (t) => {
  const [tcp, udp] = [A, buildServed("10.0.0.1", ["10.1.0.1"], { protocol: "UDP" })];
  t.strictSame(stepsFor([tcp], [tcp, udp]), [
    "+ ipvs 10.0.0.1:80/UDP rr",
    "+ ipvs 10.0.0.1:80/UDP to 10.1.0.1:8080 weight 1",
    "+ ipset KUBE-CLUSTER-IP 10.0.0.1,udp:80",
  ]);
  t.strictSame(stepsFor([tcp, udp], [udp]), ["- ipset KUBE-CLUSTER-IP 10.0.0.1,tcp:80", "- ipvs 10.0.0.1:80/TCP"]);
});

t.test("of two that have one virtual server the last one has it, and leaves it to the other", async (t) => {
  const last = { ...buildServed("10.0.0.1", ["10.1.0.5"]), key: "z" };
  const settle = [
    "+ ipvs 10.0.0.1:80/TCP to 10.1.0.5:8080 weight 1",
    "- ipvs 10.0.0.1:80/TCP to 10.1.0.1:8080 once it has no connection",
  ];
  t.strictSame(stepsFor([A], [A, last]), settle);
  t.strictSame(stepsFor([A, last], [A]), [
    "+ ipvs 10.0.0.1:80/TCP to 10.1.0.1:8080 weight 1",
    "- ipvs 10.0.0.1:80/TCP to 10.1.0.5:8080 once it has no connection",
  ]);
  t.strictSame(stepsFor([A, last], [last]), [], "nothing of the first was there");
  t.strictSame(stepsFor([last], [A, last]), [], "nor will it be");
});

t.test("a part of another mode has nothing here", async (t) => {
  t.strictSame(stepsFor([A, buildFragment("b")], [A, buildFragment("c")]), []);
});

t.test("a virtual server in a spared range stays when its Service goes", async (t) => {
  t.strictSame(stepsFor([A, B], [A], { spared: ["10.0.0.2/32"] }), [
    "- ipset KUBE-CLUSTER-IP 10.0.0.2,tcp:80",
    "- ipset KUBE-IPVS-IPS 10.0.0.2",
    "- kube-ipvs0 10.0.0.2",
  ]);
});

const rejecting = (...keys: readonly string[]): Given => ({
  withheld: { rejected: new Set(keys), dependent: new Set() },
});

t.test("what is done without neither comes nor goes", async (t) => {
  t.strictSame(stepsFor([A], [A, B], rejecting("10.0.0.2")), ["+ ipset KUBE-CLUSTER-IP 10.0.0.2,tcp:80"]);
  t.strictSame(stepsFor([A, B], [A], rejecting("10.0.0.2:80/TCP", "KUBE-IPVS-IPS 10.0.0.2")), [
    "- ipset KUBE-CLUSTER-IP 10.0.0.2,tcp:80",
    "- kube-ipvs0 10.0.0.2",
  ]);
});

t.test("an entry is one of its set, whatever other sets are called", async (t) => {
  const sets = ["A", "A-B"].map((name) => ({ ...CLUSTER_IP, name }));
  const fragment = buildIpvsFragment("a", { entries: [{ set: "A-B", entry: "10.0.0.1,tcp:1 nomatch" }] });
  t.strictSame(stepsFor([], [fragment], { sets }), ["+ ipset A-B 10.0.0.1,tcp:1 nomatch"]);
});

t.test("a state without an interface binds to that of no name", async (t) => {
  const fragment = buildIpvsFragment("a", { addresses: ["10.0.0.1"] });
  t.strictSame(stepsFor([], [fragment], { devices: [] }), ["+  10.0.0.1"]);
});

t.test("in a mode that has sets alone, an entry stays until no rule leads to its endpoint", async (t) => {
  const stateOf = (entry: string) => {
    const fragment = buildIpvsFragment("a", { entries: [{ set: CLUSTER_IP.name, entry }] });
    return buildIpvsState([fragment], { devices: [] });
  };
  const [held, wanted] = [stateOf("10.0.0.1,tcp:80"), stateOf("10.0.0.2,tcp:80")];
  const { steps } = diff(wanted, held, { jumps: [], variant: "nft" });
  t.strictSame(
    [...printPlan({ steps, kept: [] })],
    ["+ ipset KUBE-CLUSTER-IP 10.0.0.2,tcp:80", "- ipset KUBE-CLUSTER-IP 10.0.0.1,tcp:80"],
  );
  const changed = changesBetween(wanted.fragments, held.fragments);
  if (wanted.ipvs?.kind !== "wanted") throw new Error("no such state");
  const { early, late } = stepsOf(diffHeld({ wanted, ipvs: wanted.ipvs, held, changed }));
  t.match([early, late], [[{ kind: "sets" }], [{ kind: "sets" }]], "before rules, and behind them");
});
