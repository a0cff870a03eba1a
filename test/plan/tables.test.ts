import t from "tap";
import { diff } from "../../src/plan/diff.ts";
import { parseTables } from "../../src/state/iptables-parse.ts";
import { type Chain, type Chains, emptyState, type Fragment, type KernelState } from "../../src/state/kernel-state.ts";
import { buildChain, buildFragment, buildState } from "../support/fragments.ts";

const JUMPS = [
  '-A OUTPUT -m comment --comment "kubernetes service portals" -j KUBE-SERVICES',
  "-A OUTPUT -j KUBE-SECOND",
];

function table(...lines: string[]): Chains {
  const text = ["*nat", ":OUTPUT ACCEPT [0:0]", ...lines, "COMMIT"].join("\n");
  return parseTables(text).get("nat") ?? new Map();
}

function withHold(chains: Chains, name: string, hold: Chain["hold"]): Chains {
  const chain = chains.get(name);
  return chain ? new Map([...chains, [name, { ...chain, hold }]]) : chains;
}

const WANTED = table(
  ":KUBE-MARK-MASQ - [0:0]",
  ":KUBE-SERVICES - [0:0]",
  ...JUMPS,
  "-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000",
  "-A KUBE-SERVICES -d 10.0.0.1/32 -j KUBE-MARK-MASQ",
);

function plan(wanted: Chains, actual: Chains) {
  const jumps = JUMPS.map((line) => ({ line }));
  const state = (chains: Chains) => ({ ...emptyState("IPv4"), tables: new Map([["nat" as const, chains]]) });
  const { steps, kept } = diff(state(wanted), { ...state(actual), observed: true }, { jumps, variant: "nft" });
  const changes = steps.flatMap((step) => (step.kind === "iptables" ? step.changes : []));
  const [change] = changes.map((one) => ({ ...one, rules: [...one.rules] }));
  return { ...(change && { change }), kept };
}

t.test("what is right is left alone", async (t) => {
  t.same(plan(WANTED, WANTED), { kept: [] });
});

t.test("on a fresh node everything is made, jumps so that they stand as wanted", async (t) => {
  t.same(plan(WANTED, new Map()).change, {
    table: "nat",
    clear: ["KUBE-MARK-MASQ", "KUBE-SERVICES"],
    rules: [
      "-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000",
      "-A KUBE-SERVICES -d 10.0.0.1/32 -j KUBE-MARK-MASQ",
      "-I OUTPUT -j KUBE-SECOND",
      '-I OUTPUT -m comment --comment "kubernetes service portals" -j KUBE-SERVICES',
    ],
    remove: [],
  });
});

t.test("only the chain that differs is written again", async (t) => {
  const actual = new Map([...WANTED, ["KUBE-SERVICES", { name: "KUBE-SERVICES", hold: "ours", rules: [] } as Chain]]);
  const { change } = plan(WANTED, actual);
  t.same(change?.clear, ["KUBE-SERVICES"]);
  t.same(change?.rules, ["-A KUBE-SERVICES -d 10.0.0.1/32 -j KUBE-MARK-MASQ"]);
});

t.test("a rule in another place, one too many and another text each count as different", async (t) => {
  const chain = (...lines: string[]) => table(":KUBE-SERVICES - [0:0]", ...lines);
  const wanted = chain("-A KUBE-SERVICES -j A", "-A KUBE-SERVICES -j B");
  for (const lines of [["B", "A"], ["A", "B", "C"], ["A"], ["A", "C"]]) {
    const actual = chain(...lines.map((target) => `-A KUBE-SERVICES -j ${target}`));
    t.same(plan(wanted, actual).change?.clear, ["KUBE-SERVICES"], lines.join(" "));
  }
});

t.test("an ensured chain is made when missing, and never emptied", async (t) => {
  const wanted = withHold(table(":KUBE-FIREWALL - [0:0]"), "KUBE-FIREWALL", "ensured");
  t.same(plan(wanted, table()).change?.clear, ["KUBE-FIREWALL"]);
  t.notOk(plan(wanted, table(":KUBE-FIREWALL - [0:0]", "-A KUBE-FIREWALL -j DROP")).change);
});

t.test("a jump is found wherever it stands, and a foreign rule is no jump of ours", async (t) => {
  const actual = table(
    ":KUBE-MARK-MASQ - [0:0]",
    ":KUBE-SERVICES - [0:0]",
    "-A OUTPUT -j DOCKER",
    ...JUMPS.toReversed(),
  );
  t.same(
    plan(WANTED, actual).change?.rules.filter((rule) => !rule.startsWith("-A")),
    [],
  );
  const odd = table(":KUBE-MARK-MASQ - [0:0]", ":KUBE-SERVICES - [0:0]", "-A OUTPUT -j KUBE-SERVICES");
  t.equal(plan(WANTED, odd).change?.rules.filter((rule) => rule.startsWith("-I")).length, 2);
});

t.test("stale chains of ours go, other people's stay", async (t) => {
  const actual = table(
    ":DOCKER - [0:0]",
    ":KUBE-IPTABLES-HINT - [0:0]",
    ":KUBE-SEP-OLD - [0:0]",
    ":KUBE-SVC-OLD - [0:0]",
    "-A KUBE-SVC-OLD -j KUBE-SEP-OLD",
  );
  t.same(plan(table(), actual), {
    kept: [],
    change: {
      table: "nat",
      clear: ["KUBE-SEP-OLD", "KUBE-SVC-OLD"],
      rules: [],
      remove: ["KUBE-SEP-OLD", "KUBE-SVC-OLD"],
    },
  });
});

t.test("cleaning up takes our jumps by what they say and leaves all others", async (t) => {
  const actual = new Map([...WANTED, ...table("-A OUTPUT -j DOCKER", ...JUMPS)]);
  const { change } = plan(new Map(), actual);
  t.same(change?.rules, [
    '-D OUTPUT -m comment --comment "kubernetes service portals" -j KUBE-SERVICES',
    "-D OUTPUT -j KUBE-SECOND",
  ]);
  t.same(change?.remove, ["KUBE-MARK-MASQ", "KUBE-SERVICES"]);
});

t.test("a jump that another mode left behind is taken out while others stay", async (t) => {
  const wanted = table(":KUBE-SERVICES - [0:0]", JUMPS[0] ?? "");
  const actual = table(":KUBE-SERVICES - [0:0]", ...JUMPS);
  t.same(plan(wanted, actual).change?.rules, ["-D OUTPUT -j KUBE-SECOND"]);
});

t.test("a chain that a foreign rule leads into is emptied and named, the rest goes", async (t) => {
  const foreign = "-A CNI-X -j KUBE-MARK-MASQ";
  const chains = [":CNI-X - [0:0]", ":KUBE-MARK-MASQ - [0:0]", ":KUBE-SERVICES - [0:0]", foreign];
  const actual = table(...chains, "-A KUBE-MARK-MASQ -j RETURN");
  const { change, kept } = plan(new Map(), actual);
  t.same(change?.clear, ["KUBE-MARK-MASQ", "KUBE-SERVICES"]);
  t.same(change?.remove, ["KUBE-SERVICES"]);
  t.same(kept, [{ table: "nat", chain: "KUBE-MARK-MASQ", rule: foreign }]);
  const again = plan(new Map(), table(":CNI-X - [0:0]", ":KUBE-MARK-MASQ - [0:0]", foreign));
  t.notOk(again.change, "once emptied there is nothing more to do");
  t.equal(again.kept.length, 1);
});

t.test("a foreign rule in a built-in chain keeps a chain too, one of ours does not", async (t) => {
  const actual = table(":KUBE-SERVICES - [0:0]", "-A OUTPUT -d 10.0.0.9/32 -j KUBE-SERVICES", ...JUMPS);
  const { change, kept } = plan(new Map(), actual);
  t.same(
    kept.map(({ rule }) => rule),
    ["-A OUTPUT -d 10.0.0.9/32 -j KUBE-SERVICES"],
  );
  t.equal(change?.rules.length, 2);
  t.same(change?.remove, []);
});

/** What is sent from one state that was applied to the next. */
function planApplied(wanted: KernelState, applied: KernelState) {
  const { steps } = diff(wanted, applied, { jumps: [], variant: "nft" });
  const changes = steps.flatMap((step) => (step.kind === "iptables" ? step.changes : []));
  return changes.map(({ clear, rules, remove }) => ({ clear, rules: [...rules], remove }));
}

t.test("against what was applied", async (t) => {
  const [a, b] = [buildFragment("a"), buildFragment("b")];
  const ensured: Chain = { name: "KUBE-PROXY-CANARY", hold: "ensured", rules: [] };
  const before = [buildChain("KUBE-SERVICES", "FIRST"), ensured];
  const last = { ...buildChain("KUBE-SERVICES", "FIRST"), last: [{ line: "-A KUBE-SERVICES -j LAST" }] };
  const lines = (...targets: string[]) => targets.map((target) => `-A KUBE-SERVICES -j ${target}`);
  const whole = (...targets: string[]) => [{ clear: ["KUBE-SERVICES"], rules: lines(...targets), remove: [] }];
  const sent = (fragments: Fragment[], chains: Chain[], from = buildState([a], before)) =>
    planApplied(buildState(fragments, chains), from);
  const many = buildFragment(
    "many",
    Array.from({ length: 33 }, (_, index) => `T${index}`),
  );
  t.strictSame(sent([a], before), [], "nothing differs");
  t.strictSame(sent([a, b], before)[0]?.rules, ["-I KUBE-SERVICES 3 -j b"], "a share is put in its place");
  t.strictSame(sent([a], [buildChain("KUBE-SERVICES", "OTHER"), ensured]), whole("OTHER", "a"), "a fixed rule differs");
  t.strictSame(sent([a], [buildChain("KUBE-SERVICES"), ensured]), whole("a"), "a fixed rule goes");
  t.strictSame(sent([a, b], [last, ensured]), whole("FIRST", "a", "b", "LAST"), "a rule behind all shares comes");
  t.strictSame(sent([a, b], [last, ensured], buildState([a], [last, ensured]))[0]?.rules, ["-I KUBE-SERVICES 3 -j b"]);
  t.strictSame(sent([a, many], before)[0]?.clear, ["KUBE-SERVICES"], "many shares mean the whole chain");
  t.strictSame(sent([a], before, buildState([a], [ensured])), whole("FIRST", "a"), "the chain is new");
  const canary = sent([a], before, buildState([a], before.slice(0, 1)));
  t.strictSame(canary, [{ clear: ["KUBE-PROXY-CANARY"], rules: [], remove: [] }], "an ensured chain is new");
  const gone = planApplied(buildState([]), buildState([buildFragment("c", [], [buildChain("KUBE-SVC-C", "RETURN")])]));
  t.strictSame(gone, [{ clear: ["KUBE-SVC-C"], rules: [], remove: ["KUBE-SVC-C"] }], "a chain goes with its fragment");
});
