import t from "tap";
import { pagedList } from "../../src/paged-list.ts";
import { ownersIn } from "../../src/plan/owners.ts";
import { parseTables } from "../../src/state/iptables-parse.ts";
import { emptyState } from "../../src/state/kernel-state.ts";

const TEXT = `*nat
:KUBE-SERVICES - [0:0]
:KUBE-SVC-A - [0:0]
:KUBE-SEP-B - [0:0]
:KUBE-SEP-C - [0:0]
:OTHER - [0:0]
-A KUBE-SERVICES -d 10.0.0.1/32 -p tcp -m comment --comment "shop/cart:http cluster IP" -m tcp --dport 80 -j KUBE-SVC-A
-A KUBE-SVC-A -j KUBE-SEP-B
-A KUBE-SEP-B -p tcp -m tcp -j DNAT --to-destination 10.1.0.1:80
-A KUBE-SEP-C -p tcp -m tcp -j DNAT --to-destination 10.1.0.2:80
-A OTHER -m comment --comment "not/ours" -j KUBE-SEP-C
COMMIT
`;

t.test("rules without a comment belong to the Service whose rule leads to their chain", async (t) => {
  const actual = { ...emptyState("IPv4"), tables: parseTables(TEXT) };
  const owners = ownersIn("nat", emptyState("IPv4"), actual);
  const of = (chain: string) =>
    actual.tables
      .get("nat")
      ?.get(chain)
      ?.rules.map((rule) => owners.actual(chain, rule));
  t.strictSame(of("KUBE-SERVICES"), ["shop/cart:http"]);
  t.strictSame(of("KUBE-SVC-A"), ["shop/cart:http"]);
  t.strictSame(of("KUBE-SEP-B"), ["shop/cart:http"]);
  t.strictSame(of("KUBE-SEP-C"), [undefined], "what somebody else leads to");
  t.equal(owners.wanted({ line: "-A KUBE-SVC-A -j KUBE-SEP-B" }), undefined, "nobody wants it");
});

const INDEXED = `*nat
:KUBE-SERVICES - [0:0]
:KUBE-IX-S-10.0.0.0-26 - [0:0]
:KUBE-IX-SVC-A - [0:0]
:KUBE-IX-SUB-B - [0:0]
:KUBE-IX-SUB-C - [0:0]
:KUBE-IX-SEP-D - [0:0]
-A KUBE-SERVICES -d 10.0.0.0/26 -j KUBE-IX-S-10.0.0.0-26
-A KUBE-IX-S-10.0.0.0-26 -d 10.0.0.1/32 -p tcp -m comment --comment "shop/cart:http cluster IP" -m tcp --dport 80 -j KUBE-IX-SVC-A
-A KUBE-IX-SEP-D -p tcp -j DNAT --to-destination 10.1.0.1:80
-A KUBE-IX-SUB-C -m statistic --mode random --probability 0.50000000000 -g KUBE-IX-SEP-D
-A KUBE-IX-SUB-C -g KUBE-IX-SEP-NOT-IN-THE-DUMP
-A KUBE-IX-SUB-B -g KUBE-IX-SUB-C
-A KUBE-IX-SVC-A -g KUBE-IX-SUB-B
COMMIT
`;

t.test(
  "in the Indexed layout a chain belongs to the Service whose rule leads to it, however many chains below",
  async (t) => {
    const actual = { ...emptyState("IPv4"), tables: parseTables(INDEXED) };
    const owners = ownersIn("nat", emptyState("IPv4"), actual);
    for (const [name, { rules }] of actual.tables.get("nat") ?? []) {
      const owner = name === "KUBE-SERVICES" ? undefined : "shop/cart:http";
      t.strictSame([...new Set(rules.map((rule) => owners.actual(name, rule)))], [owner], name);
    }
  },
);

t.test(
  "a rule that an index passes on belongs to the Service that it is from, one that leads down to nobody",
  async (t) => {
    const chain = { name: "KUBE-SERVICES", hold: "ours", rules: [] } as const;
    const own = ["-d 10.0.0.1/32 -j REJECT", "-d 10.0.0.2/32 -j REJECT"];
    const fragments = own.map((tail, index) => {
      const shares = new Map([["KUBE-SERVICES", [{ line: `-A KUBE-SERVICES ${tail}` }]]]);
      return { key: `shop/s${index}/TCP`, size: 0, chains: () => [], shares: () => shares, ipvs: () => undefined };
    });
    const tables = new Map([["nat" as const, new Map([[chain.name, chain]])]]);
    const wanted = { ...emptyState("IPv4"), tables, fragments: pagedList(fragments) };
    const owners = ownersIn("nat", wanted, emptyState("IPv4"));
    t.equal(owners.wanted({ line: `-A KUBE-IX-S-10.0.0.0-26 ${own[1]}` }), "shop/s1");
    t.equal(owners.actual("KUBE-IX-S-10.0.0.0-26", { line: `-A KUBE-IX-S-10.0.0.0-26 ${own[0]}` }), "shop/s0");
    t.equal(owners.wanted({ line: "-A KUBE-SERVICES -d 10.0.0.0/26 -j KUBE-IX-S-10.0.0.0-26" }), undefined);
  },
);

t.test("what comments of node proxies say", async (t) => {
  const owners = ownersIn("nat", emptyState("IPv4"), emptyState("IPv4"));
  const cases: readonly [string, string | undefined][] = [
    ['"a/b"', "a/b"],
    ['"a/b:http"', "a/b:http"],
    ["a/b", "a/b"],
    ['"a/b:http -> 10.0.0.1:80"', "a/b:http"],
    ['"masquerade LOCAL traffic for a/b:http external destinations"', "a/b:http"],
    ['"other traffic to a/b:http will be dropped by KUBE-PROXY-FIREWALL"', "a/b:http"],
    ['"kubernetes service portals"', undefined],
    ['"Kubernetes endpoints dst ip:port, source ip for solving hairpin purpose"', undefined],
  ];
  for (const [comment, owner] of cases) {
    t.equal(owners.actual("X", { line: `-A X -m comment --comment ${comment} -j RETURN` }), owner, comment);
  }
});

t.test("a rule that only counts belongs to nobody", async (t) => {
  const owners = ownersIn("nat", emptyState("IPv4"), emptyState("IPv4"));
  t.equal(owners.actual("X", { line: "-A X -d 10.0.0.1/32" }), undefined);
});
