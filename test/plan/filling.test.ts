// Which entries of sets are put in while rules are written, and which before?
import t from "tap";
import { pagedList } from "../../src/paged-list.ts";
import { diff } from "../../src/plan/diff.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { printPlan } from "../../src/plan/print.ts";
import type { SetHeader } from "../../src/state/ip-set.ts";
import { parseTables } from "../../src/state/iptables-parse.ts";
import {
  type Chain,
  emptyState,
  type Fragment,
  type IpvsState,
  type KernelState,
} from "../../src/state/kernel-state.ts";
import { buildChain, buildFragment, buildState } from "../support/fragments.ts";

const JUMP = { line: "-A OUTPUT -j KUBE-SERVICES" };
const OUTPUT: Chain = { name: "OUTPUT", hold: "built-in", rules: [JUMP] };
const SET: SetHeader = { name: "KUBE-A", type: "hash:ip,port", family: "inet", maxEntries: 65_536 };
const DNS = "kube-system/kube-dns:dns/UDP";

/** Each with so many lines that a hundred of them are a restore. */
function serviceOf(key: string, entry: string): Fragment {
  const own = buildFragment(key, ["RETURN"], [buildChain(`KUBE-SVC-${entry.replaceAll(/\W/g, "")}`, "RETURN")]);
  return {
    ...own,
    size: 60,
    ipvs: () => ({ entries: [{ set: SET.name, entry }], servers: [], addresses: [], rules: [] }),
  };
}

/** The cluster's DNS, and so many Services. */
function stateOf(services: number): KernelState {
  const many = Array.from({ length: services }, (_, index) => serviceOf(`a/${index}`, `10.0.1.${index % 250},tcp:80`));
  const fragments = [...many, serviceOf(DNS, "10.0.0.10,udp:53")];
  const ipvs: IpvsState = { kind: "wanted", sets: [SET], devices: [], spared: [] };
  return { ...buildState(fragments, [OUTPUT, buildChain("KUBE-SERVICES")]), ipvs };
}

function observed(tables: string, entries: readonly string[] = []): KernelState {
  const sets = entries.length > 0 ? [{ ...SET, entries: new Set(entries) }] : [];
  const ipvs: IpvsState = { kind: "observed", sets, servers: [], devices: [], addresses: [] };
  return { ...emptyState("IPv4"), observed: true, tables: parseTables(tables), ipvs };
}

/** Each step of sets: its first lines, and whether others may be under way beside it. */
function setsIn({ steps }: Plan): readonly string[] {
  return steps.flatMap((step) => {
    if (step.kind !== "sets") return step.kind === "iptables" ? ["restore"] : [];
    const lines = [...printPlan({ steps: [step], kept: [] })];
    return [
      `${lines[0]}${lines.length > 1 ? ` and ${lines.length - 1} more` : ""}${step.meanwhile ? ", meanwhile" : ""}`,
    ];
  });
}

function plan(wanted: KernelState, actual: KernelState, variant: "nft" | "legacy" = "nft"): readonly string[] {
  return setsIn(diff(wanted, actual, { jumps: [JUMP], variant }));
}

const BARE = "*nat\nCOMMIT\n";

t.test("on a node without rules of ours only what is urgent is waited for", async (t) => {
  t.strictSame(plan(stateOf(250), observed(BARE)), [
    "+ ipset KUBE-A hash:ip,port",
    "+ ipset KUBE-A 10.0.0.10,udp:53",
    "+ ipset KUBE-A 10.0.1.0,tcp:80 and 249 more, meanwhile",
    ...new Array<string>(5).fill("restore"),
  ]);
});

t.test("what was left in the set goes behind the rules, as ever", async (t) => {
  t.strictSame(plan(stateOf(250), observed(BARE, ["10.9.9.9,tcp:1", "10.0.0.10,udp:53"])), [
    "+ ipset KUBE-A 10.0.1.0,tcp:80 and 249 more, meanwhile",
    ...new Array<string>(5).fill("restore"),
    "- ipset KUBE-A 10.9.9.9,tcp:1",
  ]);
});

t.test("all is waited for where one restore does it, and where packets meet chains of ours", async (t) => {
  const whole = ["+ ipset KUBE-A hash:ip,port", "+ ipset KUBE-A 10.0.1.0,tcp:80 and 250 more"];
  t.strictSame(plan(stateOf(250), observed(BARE), "legacy"), [...whole, "restore"]);
  const served = "*nat\n:OUTPUT ACCEPT [0:0]\n:KUBE-SERVICES - [0:0]\n-A OUTPUT -j KUBE-SERVICES\nCOMMIT\n";
  t.strictSame(plan(stateOf(250), observed(served)).slice(0, 3), [...whole, "restore"]);
});

t.test("where nothing is urgent, nothing is waited for but the set", async (t) => {
  const { fragments, ...rest } = stateOf(250);
  const wanted = { ...rest, fragments: pagedList([...fragments].filter(({ key }) => key !== DNS)) };
  t.strictSame(plan(wanted, observed(BARE)).slice(0, 3), [
    "+ ipset KUBE-A hash:ip,port",
    "+ ipset KUBE-A 10.0.1.0,tcp:80 and 249 more, meanwhile",
    "restore",
  ]);
});
