import t from "tap";
import { pagedList } from "../../src/paged-list.ts";
import { parseTables } from "../../src/state/iptables-parse.ts";
import { printTables } from "../../src/state/iptables-print.ts";
import { type Chain, emptyState, type Fragment, type KernelState } from "../../src/state/kernel-state.ts";

const rules = (...lines: string[]) => lines.map((line) => ({ line }));
const ours = (name: string, ...lines: string[]): Chain => ({ name, hold: "ours", rules: rules(...lines) });

const FRAGMENTS: readonly Fragment[] = ["a", "b"].map((name) => ({
  key: name,
  size: 1,
  chains: (table) => (table === "nat" ? [ours(`KUBE-SVC-${name}`, `-A KUBE-SVC-${name} -j ${name}`)] : []),
  shares: (table) => new Map(table === "nat" ? [["KUBE-SERVICES", rules(`-A KUBE-SERVICES -j KUBE-SVC-${name}`)]] : []),
  ipvs: () => undefined,
}));

const STATE: KernelState = {
  ...emptyState("IPv4"),
  fragments: pagedList(FRAGMENTS),
  tables: new Map([
    [
      "nat",
      new Map<string, Chain>([
        ["OUTPUT", { name: "OUTPUT", hold: "built-in", rules: rules("-A OUTPUT -j KUBE-SERVICES") }],
        ["PREROUTING", { name: "PREROUTING", hold: "built-in", rules: rules("-A PREROUTING -j KUBE-SERVICES") }],
        [
          "KUBE-SERVICES",
          { ...ours("KUBE-SERVICES", "-A KUBE-SERVICES -j FIRST"), last: rules("-A KUBE-SERVICES -j LAST") },
        ],
        ["KUBE-FIREWALL", { name: "KUBE-FIREWALL", hold: "ensured", rules: [] }],
      ]),
    ],
  ]),
};

const TEXT = `*nat
:KUBE-FIREWALL - [0:0]
:KUBE-SERVICES - [0:0]
:KUBE-SVC-a - [0:0]
:KUBE-SVC-b - [0:0]
-A PREROUTING -j KUBE-SERVICES
-A OUTPUT -j KUBE-SERVICES
-A KUBE-SERVICES -j FIRST
-A KUBE-SERVICES -j KUBE-SVC-a
-A KUBE-SERVICES -j KUBE-SVC-b
-A KUBE-SERVICES -j LAST
-A KUBE-SVC-a -j a
-A KUBE-SVC-b -j b
COMMIT`;

t.test("a state is printed as the tool would: shares in their places, hooks first, chains by name", async (t) => {
  t.equal([...printTables(STATE)].join("\n"), TEXT);
});

t.test("a rule may be printed in another way", async (t) => {
  const lines = [...printTables(STATE, ({ line }) => line.toLowerCase())];
  t.ok(lines.includes("-a output -j kube-services"));
});

t.test("what was read is printed again, policies aside", async (t) => {
  const text = TEXT.replace(":KUBE-FIREWALL", ":PREROUTING ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:KUBE-FIREWALL");
  t.equal([...printTables({ ...emptyState("IPv4"), tables: parseTables(text) })].join("\n"), TEXT);
});
