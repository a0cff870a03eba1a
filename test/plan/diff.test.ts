import t from "tap";
import { diff } from "../../src/plan/diff.ts";
import { printPlan } from "../../src/plan/print.ts";
import { restoreText } from "../../src/plan/restore-text.ts";
import { parseTables } from "../../src/state/iptables-parse.ts";
import { emptyState, type KernelState } from "../../src/state/kernel-state.ts";

const JUMP = { line: "-A OUTPUT -j KUBE-SERVICES" };
const MEANS = { jumps: [JUMP], variant: "nft" } as const;
const tables = (text: string) => parseTables(text);

const WANTED: KernelState = {
  ...emptyState("IPv4"),
  tables: tables(`*filter\n:KUBE-FORWARD - [0:0]\nCOMMIT
*nat\n:OUTPUT ACCEPT [0:0]\n:KUBE-SERVICES - [0:0]\n${JUMP.line}\n-A KUBE-SERVICES -j X\nCOMMIT`),
  sysctls: [
    { path: "net/ipv4/conf/all/route_localnet", value: "1" },
    { path: "net/netfilter/nf_conntrack_max", least: 1000 },
  ],
  counters: ["ct_state_invalid_dropped_pkts"],
};

t.test("a plan reads as what comes, what goes and what stays", async (t) => {
  const actual: KernelState = {
    ...emptyState("IPv4"),
    observed: true,
    tables: tables(
      "*nat\n:OTHER - [0:0]\n:KUBE-SEP-OLD - [0:0]\n:KUBE-SVC-OLD - [0:0]\n-A OTHER -j KUBE-SVC-OLD\nCOMMIT",
    ),
    sysctls: [{ path: "net/netfilter/nf_conntrack_max", value: "4096" }],
  };
  const plan = diff(WANTED, actual, MEANS);
  t.same(
    [...printPlan(plan)],
    [
      "+ sysctl net/ipv4/conf/all/route_localnet = 1",
      "+ nfacct ct_state_invalid_dropped_pkts",
      "+ IPv4 filter :KUBE-FORWARD",
      "+ IPv4 nat :KUBE-SERVICES",
      "+ IPv4 nat -A KUBE-SERVICES -j X",
      "+ IPv4 nat -I OUTPUT -j KUBE-SERVICES",
      "- IPv4 nat :KUBE-SEP-OLD",
      "! nat KUBE-SVC-OLD stays, empty, because of: -A OTHER -j KUBE-SVC-OLD",
    ],
  );
});

t.test("a plan for tables is one transaction a table, what goes last", async (t) => {
  const plan = diff(WANTED, { ...emptyState("IPv4"), tables: tables("*nat\n:KUBE-SEP-OLD - [0:0]\nCOMMIT") }, MEANS);
  const step = plan.steps.at(-1);
  t.equal(
    step?.kind === "iptables" && [...restoreText(step.changes)].join(""),
    `*filter
:KUBE-FORWARD - [0:0]
COMMIT
*nat
:KUBE-SEP-OLD - [0:0]
:KUBE-SERVICES - [0:0]
-A KUBE-SERVICES -j X
-I OUTPUT -j KUBE-SERVICES
-X KUBE-SEP-OLD
COMMIT
`,
  );
});

t.test("what is as wanted needs no step", async (t) => {
  const actual: KernelState = {
    ...WANTED,
    sysctls: [
      { path: "net/ipv4/conf/all/route_localnet", value: "1" },
      { path: "net/netfilter/nf_conntrack_max", value: "1000" },
    ],
  };
  t.same(diff(WANTED, actual, MEANS), { steps: [], kept: [] });
});

t.test("cleaning up removes jumps and chains, and no setting", async (t) => {
  const plan = diff(emptyState("IPv4"), WANTED, MEANS);
  t.same(
    [...printPlan(plan)],
    ["- IPv4 filter :KUBE-FORWARD", "- IPv4 nat -D OUTPUT -j KUBE-SERVICES", "- IPv4 nat :KUBE-SERVICES"],
  );
});

t.test("a setting that is too small is raised to the least", async (t) => {
  const actual = { ...WANTED, sysctls: [{ path: "net/netfilter/nf_conntrack_max", value: "999" }] };
  t.same(diff(WANTED, actual, MEANS).steps.filter(({ kind }) => kind === "sysctl").length, 2);
  t.match(diff(WANTED, actual, MEANS).steps[1], { path: "net/netfilter/nf_conntrack_max", value: "1000" });
});
