import t from "tap";
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
