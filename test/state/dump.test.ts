import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { isDump, parseDump } from "../../src/state/dump.ts";
import { printTables } from "../../src/state/iptables-print.ts";
import type { KernelState } from "../../src/state/kernel-state.ts";
import { FIXTURES } from "../support/golden.ts";

const V4 = "*nat\n:PREROUTING ACCEPT [0:0]\n:X - [0:0]\n-A X -d 10.0.0.1/32 -j RETURN\nCOMMIT\n";
const V6 = "*nat\n:PREROUTING ACCEPT [0:0]\n:X - [0:0]\n-A X -d fd00::1/128 -j RETURN\nCOMMIT\n";
const SETS =
  "create KUBE-CLUSTER-IP hash:ip,port family inet hashsize 1024 maxelem 65536\nadd KUBE-CLUSTER-IP 10.0.0.1,tcp:80\n";
const SERVERS = "-A -t 10.0.0.1:80 -s rr\n-a -t 10.0.0.1:80 -r 10.1.0.1:8080 -m -w 1\n-A -u [fd00::1]:53 -s rr\n";

function shown(text: string, asked?: "IPv4" | "IPv6") {
  const { states, told } = parseDump(text, asked);
  return { told: [...told], families: [...states].map(([family, state]) => [family, summary(state)]) };
}

function summary({ tables, ipvs, sysctls }: KernelState) {
  const rules = [...tables].flatMap(([table, chains]) =>
    [...chains.values()].flatMap((chain) => chain.rules.map(({ line }) => `${table} ${line}`)),
  );
  const found = ipvs?.kind === "observed" ? ipvs : undefined;
  const sets = found?.sets.map(({ name, entries }) => `${name} ${[...entries].join(" ")}`);
  return { rules, sets, servers: found?.servers.map(({ address }) => address), sysctls: sysctls.length };
}

const IPV4 = { rules: ["nat -A X -d 10.0.0.1/32 -j RETURN"], sets: [], servers: [], sysctls: 0 };
const IPV6 = { rules: ["nat -A X -d fd00::1/128 -j RETURN"], sets: [], servers: [], sysctls: 0 };

t.test("tables of both families, told apart by their addresses", async (t) => {
  for (const text of [V4 + V6, V6 + V4]) {
    t.strictSame(shown(text), {
      told: ["tables"],
      families: [
        ["IPv4", IPV4],
        ["IPv6", IPV6],
      ],
    });
  }
});

t.test("all tools in one text, in any order", async (t) => {
  const sets = { sets: ["KUBE-CLUSTER-IP 10.0.0.1,tcp:80"] };
  const expected = {
    told: ["tables", "sets", "servers"],
    families: [
      ["IPv4", { ...IPV4, ...sets, servers: ["10.0.0.1"] }],
      ["IPv6", { ...IPV6, servers: ["fd00::1"] }],
    ],
  };
  t.strictSame(shown(V4 + V6 + SETS + SERVERS), expected);
  t.strictSame(shown(`${SERVERS}\n${SETS}${V6}# Warning: iptables-legacy tables present\n${V4}`), expected);
});

t.test("the families of the tables are meant, where there are tables", async (t) => {
  t.strictSame(
    shown(V6 + SERVERS).families.map(([family]) => family),
    ["IPv6"],
  );
  t.strictSame(
    shown(SETS).families.map(([family]) => family),
    ["IPv4"],
  );
  t.strictSame(
    shown("create other hash:net family inet\nadd other 10.0.0.0/8\n").families.map(([family]) => family),
    ["IPv4", "IPv6"],
    "sets of others tell nothing",
  );
});

t.test("counters, Windows line ends, a byte order mark and a missing last line end change nothing", async (t) => {
  t.strictSame(shown(`\uFEFF${V4.replaceAll("\n", "\r\n")}`), shown(V4));
  t.strictSame(shown(V4.trimEnd()), shown(V4));
  t.strictSame(shown(V4.replace("-A X", "[12:720] -A X")), shown(V4));
});

t.test("each tool's text can be had without the others'", async (t) => {
  const { texts } = parseDump(`${SETS}${V4}${SERVERS}${V6}`);
  t.strictSame(texts, {
    tables: new Map([
      ["IPv4", V4],
      ["IPv6", V6],
    ]),
    sets: SETS,
    servers: SERVERS,
  });
});

t.test("what is wrong is told with its line", async (t) => {
  const cases: readonly [string, string, RegExp][] = [
    [
      "a stray line",
      `${V4}iptables: command not found\n`,
      /^line 6: an error message instead of rules; save them again, as root: iptables: command not found$/,
    ],
    [
      "a list of rules",
      "Chain INPUT (policy ACCEPT)\ntarget     prot opt source               destination\n",
      /^line 1: output of iptables -L or -S, which leaves out tables or parts of rules; use iptables-save/,
    ],
    [
      "a rule without its table",
      "-A KUBE-SERVICES -j KUBE-NODEPORTS\n",
      /^line 1: a rule outside of a table; is the line \*nat or \*filter above it missing\?/,
    ],
    ["a line of something else", "hello\n", /^line 1: not a line of iptables-save, ipset save or ipvsadm -Sn: hello$/],
    [
      "a rule that is none",
      `${SETS}${V4.replace("COMMIT", "-Q X\nCOMMIT")}`,
      /^line 7: neither a chain nor a rule: -Q X$/,
    ],
    ["a table nobody knows", "# iptables\n*natt\nCOMMIT\n", /^line 2: unknown table: \*natt$/],
    ["a set entry", `${V4}${SETS}add OTHER 1\n`, /^line 8: neither a set nor an entry of one above: add OTHER 1$/],
    ["a virtual server", `${SERVERS}${V4}-A -t x:80\n`, /^line 9: not a virtual server: -A -t x:80$/],
    ["an address", "address add 10.0.0.1 dev kube-ipvs0\n", /^line 1: no address of an interface/],
    ["a table that is there twice", `# iptables\n${V4}${V4}`, /^line 7: a second time for IPv4: \*nat$/],
    ["a table of unknown family", "*raw\n:PREROUTING ACCEPT [0:0]\nCOMMIT\n", /^line 1: nothing tells of which family/],
  ];
  for (const [name, text, message] of cases)
    t.throws(() => parseDump(text), { name: "RuleSyntaxError", message }, name);
});

t.test("a dump that says it is incomplete has a gap there, and no rules of a truncated table", async (t) => {
  const cut = V4.replace("COMMIT\n", "");
  const gapsOf = (text: string) => parseDump(text, "IPv4").gaps;
  t.strictSame(gapsOf(V4), []);
  t.strictSame(gapsOf(cut), [{ family: "IPv4", kind: "truncated", table: "nat", line: 1 }]);
  t.strictSame(parseDump(cut, "IPv4").told, new Set());
  t.strictSame(gapsOf(`${cut}# ip6tables\n${V6}`), [{ family: "IPv6", kind: "truncated", table: "nat", line: 1 }]);
  const legacy = "# Warning: iptables-legacy tables present, use iptables-legacy to see them\n";
  t.strictSame(gapsOf(`${legacy}${V4}`), [{ family: "IPv4", kind: "legacy", line: 1 }]);
  const six = "# Warning: iptables-legacy tables present, use ip6tables-legacy-save to see them\n";
  t.strictSame(gapsOf(`${V4}${six}`), [{ family: "IPv6", kind: "legacy", line: 6 }]);
  for (const words of ["# Table `filter' is incompatible", "# Table `filter' contains incompatible base-chains"]) {
    const gap = { family: "IPv4", kind: "incompatible", table: "filter", line: 1 };
    t.strictSame(gapsOf(`${words}, use 'nft' tool.\n${V4}`), [gap], words);
  }
});

t.test("what render prints is read back as it was meant", async (t) => {
  const folder = join(FIXTURES, "clusters");
  for (const name of readdirSync(folder)) {
    for (const file of readdirSync(join(folder, name)).filter((each) => each.endsWith(".rules"))) {
      const text = readFileSync(join(folder, name, file), "utf8");
      const family = file.includes(".v6.") ? "IPv6" : "IPv4";
      const state = parseDump(text, family).states.get(family);
      const own = text.replace(/^[^*]*/, "").replace(/^COMMIT\n\n[\s\S]*/m, "COMMIT\n");
      const lines = state ? [...printTables(state)] : [];
      // A table of which the text has no chain is empty here too.
      t.same(
        lines.filter((line) => /^-A/.test(line)).sort(),
        own
          .split("\n")
          .filter((line) => /^-A/.test(line))
          .sort(),
        name,
      );
      t.equal(state?.sysctls.length, [...text.matchAll(/^\S+ = /gm)].length);
      const found = state?.ipvs?.kind === "observed" ? state.ipvs : undefined;
      t.equal(found?.servers.length, [...text.matchAll(/^-A -[tu]|^-A --sctp/gm)].length);
      t.equal(found?.addresses.length, [...text.matchAll(/^address add /gm)].length);
      t.equal(found?.devices.length, [...text.matchAll(/^link add /gm)].length);
    }
  }
  t.strictSame(parseDump("link add eth7 type dummy\naddress add 10.0.0.1/24 dev eth7\n").states.get("IPv4")?.ipvs, {
    kind: "observed",
    sets: [],
    servers: [],
    devices: [],
    addresses: [],
  });
});

t.test("dumps of all kinds of nodes are dumps, manifests are none", async (t) => {
  const folder = join(FIXTURES, "dumps");
  for (const name of readdirSync(folder).filter((each) => !each.endsWith(".md"))) {
    const text = readFileSync(join(folder, name), "utf8");
    t.ok(isDump(text), name);
    const { states } = parseDump(text);
    if (name.endsWith(".save")) t.strictSame([...states.keys()], [name.includes(".v6.") ? "IPv6" : "IPv4"], name);
  }
  t.ok(isDump(SERVERS));
  t.ok(isDump("# Generated by iptables-nft-save v1.8.9 (nf_tables)\n"), "of a kernel that has no table");
  t.notOk(isDump(readFileSync(join(FIXTURES, "demo/web.yaml"), "utf8")));
  t.notOk(isDump('{"kind": "List"}'));
  t.notOk(isDump(""));
});
