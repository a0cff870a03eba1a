// Which steps does IPVS mode have beside tables, and what is known of real servers that drain?
import t from "tap";
import { changesBetween, pagedList } from "../../src/paged-list.ts";
import { diff } from "../../src/plan/diff.ts";
import { diffIpvs, type IpvsCircumstances } from "../../src/plan/ipvs.ts";
import { printPlan } from "../../src/plan/print.ts";
import { emptyState, type KernelState } from "../../src/state/kernel-state.ts";
import type { Retirement } from "../../src/state/server-change.ts";
import {
  buildIpvsState,
  buildObserved,
  buildReal,
  buildServed,
  buildServer,
  CLUSTER_IP,
  foundServer,
  IPVS_IPS,
} from "../support/build-ipvs.ts";
import { buildChain } from "../support/fragments.ts";

const KEY = "10.0.0.1:80/TCP to 10.1.0.2 8080";
const SERVER = buildServer("10.0.0.1", ["10.1.0.1"]);
const GONE: Retirement = { server: SERVER, real: buildReal("10.1.0.2", { weight: 0 }) };
const STATE = buildIpvsState([buildServed("10.0.0.1", ["10.1.0.1"])]);

function differ(wanted: KernelState, actual: KernelState, given: Partial<IpvsCircumstances> = {}) {
  const changed = changesBetween(wanted.fragments, actual.fragments);
  return diffIpvs(wanted, actual, changed, { initial: false, draining: new Set(), due: [], ...given });
}

/** The steps in words; those of a second look have a question mark behind. */
function print(...given: Parameters<typeof differ>): readonly string[] {
  const { early, late } = differ(...given);
  return [...early, ...late].flatMap((step) => {
    const mark = step.kind === "retire" && step.again ? "?" : "";
    return [...printPlan({ steps: [step], kept: [] })].map((line) => `${line}${mark}`);
  });
}

t.test("another mode has no steps, and neither has one that did not look", async (t) => {
  t.strictSame(print(emptyState("IPv4"), buildObserved()), []);
  t.strictSame(print(STATE, emptyState("IPv4")), []);
  t.strictSame(print(buildObserved(), STATE), []);
});

t.test("what drains is looked at when it is time, unless it is wanted again, or its server goes", async (t) => {
  const again = ["- ipvs 10.0.0.1:80/TCP to 10.1.0.2:8080 once it has no connection?"];
  t.strictSame(print(STATE, STATE, { due: [GONE] }), again);
  const back = buildIpvsState([buildServed("10.0.0.1", ["10.1.0.1", "10.1.0.2"])]);
  t.strictSame(print(back, STATE, { due: [GONE] }), ["+ ipvs 10.0.0.1:80/TCP to 10.1.0.2:8080 weight 1"]);
  t.notOk(print(buildIpvsState([]), STATE, { due: [GONE] }).some((line) => line.endsWith("?")));
});

function found(weight: number, connections: number): KernelState {
  const reals = [buildReal("10.1.0.1"), buildReal("10.1.0.2", { weight })];
  return buildObserved({
    sets: [
      { ...CLUSTER_IP, entries: new Set(["10.0.0.1,tcp:80"]) },
      { ...IPVS_IPS, entries: new Set(["10.0.0.1"]) },
    ],
    servers: [foundServer({ ...SERVER, realServers: reals }, connections)],
    addresses: ["10.0.0.1"],
  });
}

t.test("a look at everything tells what drains, and what has drained goes once", async (t) => {
  const known = { draining: new Set([KEY]), due: [GONE] };
  const line = "- ipvs 10.0.0.1:80/TCP to 10.1.0.2:8080 once it has no connection";
  t.strictSame(print(STATE, found(0, 3), known), []);
  t.match(differ(STATE, found(0, 3), known).draining, [{ real: { address: "10.1.0.2" } }]);
  t.strictSame(print(STATE, found(0, 0), known), [`${line}?`], "nobody else's doing");
  t.strictSame(print(STATE, found(5, 0), known), [line], "somebody gave it a weight");
  t.strictSame(print(STATE, found(0, 0)), [line], "as after a restart");
});

t.test("a plan has what it found draining, and rules between what comes and what goes", async (t) => {
  const chains = new Map([["KUBE-SERVICES", buildChain("KUBE-SERVICES", "ACCEPT")]]);
  const wanted: KernelState = { ...STATE, tables: new Map([["nat" as const, chains]]) };
  const { ipvs } = buildObserved({ sets: [], servers: [foundServer(buildServer("10.0.0.9", []))] });
  const plan = diff(wanted, { ...buildObserved(), ipvs }, { jumps: [], variant: "nft" });
  t.strictSame(
    plan.steps.map(({ kind }) => kind),
    ["sets", "servers", "bind", "sets", "iptables", "servers"],
  );
  t.equal(plan.draining, undefined);
  const looked = { ...found(0, 3), fragments: pagedList<never>() };
  t.match(diff(STATE, looked, { jumps: [], variant: "nft" }).draining, [{ real: { address: "10.1.0.2" } }]);
});
