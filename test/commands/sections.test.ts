import t from "tap";
import { printSections } from "../../src/commands/sections.ts";
import { parseTables } from "../../src/state/iptables-parse.ts";
import { emptyState } from "../../src/state/kernel-state.ts";

t.test("empty sections are left out, others are parted by an empty line", async (t) => {
  const tables = parseTables("*nat\n:X - [0:0]\n-A X -j RETURN\nCOMMIT\n");
  const states = [
    { ...emptyState("IPv4"), tables, sysctls: [{ path: "net/netfilter/nf_conntrack_max", least: 7 }] },
    { ...emptyState("IPv6"), tables },
  ];
  t.strictSame(
    [...printSections(states, true)].join("\n"),
    `# sysctl
net.netfilter.nf_conntrack_max = 7

# iptables
*nat
:X - [0:0]
-A X -j RETURN
COMMIT

# ip6tables
*nat
:X - [0:0]
-A X -j RETURN
COMMIT`,
    "a rule of unknown origin has no reason to be explained",
  );
  t.strictSame([...printSections([emptyState("IPv4")], false)], []);
});
