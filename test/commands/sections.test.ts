import t from "tap";
import { printSection, printSections } from "../../src/commands/sections.ts";
import { FAMILIES } from "../../src/net/family.ts";
import { parseTables } from "../../src/state/iptables-parse.ts";
import { emptyState } from "../../src/state/kernel-state.ts";
import { wantedClusters } from "../support/wanted.ts";

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

t.test("both families of IPVS mode share sections, and say once what both of them need", async (t) => {
  const cluster = (await wantedClusters("ipvs")).find(({ name }) => name === "v13-dual-stack");
  const states = cluster ? FAMILIES.map(cluster.wanted) : [];
  const lines = [...printSections(states, false)];
  const headings = lines.filter((line) => line.startsWith("# "));
  t.strictSame(headings, ["# sysctl", "# ipset", "# iptables", "# ip6tables", "# ipvs", "# addresses"]);
  const sysctls = [...printSection(states, "sysctl", false)];
  t.equal(new Set(sysctls).size, sysctls.length);
  t.equal([...printSection(states, "ipset", false)].filter((line) => line.startsWith("create ")).length, 34);
  t.strictSame(
    [...printSection(states, "ipvs", false)].filter((line) => line.startsWith("-A ")),
    ["-A -u 10.96.1.7:5000 -s rr", "-A -u [fd00:96::7]:5000 -s rr"],
  );
  t.strictSame(
    [...printSection(states, "addresses", false)],
    [
      "link add kube-ipvs0 txqueuelen 0 type dummy",
      "address add 10.96.1.7/32 dev kube-ipvs0",
      "address add fd00:96::7/128 dev kube-ipvs0",
    ],
  );
});
