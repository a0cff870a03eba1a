import t from "tap";
import { canonicalLine, chainOf, targetOf } from "../../src/state/rule.ts";

const FORMS: readonly [name: string, printed: string, canonical: string][] = [
  ["blank behind a rule without target (1.8.7 nft)", "-A X -m comment --comment x ", "-A X -m comment --comment x"],
  ["number of tcp (1.8.7 nft, no /etc/protocols)", "-A X -p 6 -m tcp", "-A X -p tcp -m tcp"],
  ["number of udp", "-A X -d 10.96.0.10/32 -p 17 -m udp", "-A X -d 10.96.0.10/32 -p udp -m udp"],
  ["number of sctp", "-A X -p 132 -m sctp", "-A X -p sctp -m sctp"],
  ["number negated", "-A X ! -p 6 -j DROP", "-A X ! -p tcp -j DROP"],
  ["number at the end", "-A X -p 6 ", "-A X -p tcp"],
];

const UNTOUCHED: readonly [name: string, line: string][] = [
  ["a protocol by its name", '-A X -p tcp -m comment --comment "-p 6 " -j DROP'],
  ["a number of which 1.8.9 has no name either", "-A X -p 61 -j DROP"],
  ["a comment that speaks of a protocol", '-A X -m comment --comment "all -p 6 go" -j DROP'],
  ["a comment that ends with a blank", '-A X -m comment --comment "quoted \\" "'],
];

t.test("lines of other versions are brought to the form of 1.8.9", async (t) => {
  for (const [name, printed, canonical] of FORMS) t.equal(canonicalLine(printed), canonical, name);
});

t.test("what is in that form already stays as it is", async (t) => {
  for (const [name, line] of UNTOUCHED) t.equal(canonicalLine(line), line, name);
});

t.test("a line names its chain", async (t) => {
  t.equal(chainOf("-A KUBE-SEP-A -j X"), "KUBE-SEP-A");
  t.equal(chainOf("-A KUBE-FW-A"), "KUBE-FW-A");
});

const TARGETS: readonly [string, string | undefined][] = [
  ["-A X -j DROP", "DROP"],
  ["-A X -g KUBE-SVC-A", "KUBE-SVC-A"],
  ['-A X -m comment --comment "a -j TRAP" -j REAL --to 1', "REAL"],
  ['-A X -m comment --comment "say \\" -j TRAP" -g REAL', "REAL"],
  ['-A X -m comment --comment "nothing"', undefined],
];

t.test("a line leads where its target says, not where a comment says", async (t) => {
  for (const [line, target] of TARGETS) t.equal(targetOf(line), target, line);
});
