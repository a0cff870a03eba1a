import t from "tap";
import { canonicalLine, chainOf, targetOf } from "../../src/state/rule.js";
t.test("lines of other versions are brought to the form of 1.8.9", async (t) => {
    t.equal(canonicalLine("-A X -m comment --comment x "), "-A X -m comment --comment x");
    t.equal(canonicalLine("-A X -p 6 -m tcp"), "-A X -p tcp -m tcp");
    t.equal(canonicalLine("-A X -p 17 -m udp"), "-A X -p udp -m udp");
    t.equal(canonicalLine("-A X -p 132 -m sctp"), "-A X -p sctp -m sctp");
    t.equal(canonicalLine("-A X -p 47 -j DROP"), "-A X -p 47 -j DROP");
});
t.test("a line names its chain", async (t) => {
    t.equal(chainOf("-A KUBE-SEP-A -j X"), "KUBE-SEP-A");
    t.equal(chainOf("-A KUBE-FW-A"), "KUBE-FW-A");
});
const TARGETS = [
    ["-A X -j DROP", "DROP"],
    ["-A X -g KUBE-SVC-A", "KUBE-SVC-A"],
    ['-A X -m comment --comment "a -j TRAP" -j REAL --to 1', "REAL"],
    ['-A X -m comment --comment "say \\" -j TRAP" -g REAL', "REAL"],
    ['-A X -m comment --comment "nothing"', undefined],
];
t.test("a line leads where its target says, not where a comment says", async (t) => {
    for (const [line, target] of TARGETS)
        t.equal(targetOf(line), target, line);
});
