// Is a rule said in few words, and nothing of it hidden?
import t from "tap";
import { readRule } from "../../src/draw/rule-text.ts";

const CONDITIONS: readonly (readonly [string, readonly string[]])[] = [
  ["-A C", []],
  ["-A C -p tcp -j X", ["tcp"]],
  ["-A C -d 10.0.0.1/32 -p tcp -m tcp --dport 80 -j X", ["10.0.0.1:80/tcp"]],
  ["-A C -d fd00::1/128 -p udp -m udp --dport 53 -j X", ["[fd00::1]:53/udp"]],
  ["-A C -d 10.0.0.0/8 -p tcp -j X", ["10.0.0.0/8 tcp"]],
  ["-A C -d 10.0.0.1/32 -j X", ["to 10.0.0.1"]],
  ["-A C ! -d ::1/128 -m addrtype --dst-type LOCAL -j X", ["not to ::1", "to this node"]],
  ["-A C ! -d 127.0.0.0/8 -p tcp -m tcp --dport 80 -j X", ["80/tcp", "not to 127.0.0.0/8"]],
  ["-A C ! -s 10.244.0.0/16 -j X", ["not from 10.244.0.0/16"]],
  ["-A C ! -i veth+ -j X", ["not from interface veth+"]],
  ["-A C -m addrtype ! --src-type LOCAL -j X", ["not from this node"]],
  ["-A C -m addrtype --src-type LOCAL --dst-type BROADCAST -j X", ["from this node", "to BROADCAST"]],
  ["-A C -m addrtype --src-type UNICAST -j X", ["from UNICAST"]],
  ["-A C -m conntrack --ctstate NEW -j X", ["new connections"]],
  ["-A C -m conntrack ! --ctstate RELATED,ESTABLISHED -j X", ["not state RELATED,ESTABLISHED"]],
  ["-A C -m physdev ! --physdev-is-in -j X", ["not over a bridge"]],
  ["-A C -m nfacct --nfacct-name  packets -j X", ["counted as packets"]],
  ["-A C -m mark ! --mark 0x4000/0x4000 -j X", ["! --mark 0x4000/0x4000"]],
  ["-A C -m recent --rcheck --seconds 60 --reap --name N --mask 255.255.255.255 --rsource -j X", []],
  ['-A C -m comment --comment "-j ! -d 10.0.0.1" -j X', []],
  ["-A C -m comment --comment -j -j X", []],
];

for (const [line, conditions] of CONDITIONS) {
  t.test(line, async (t) => t.strictSame(readRule(line).conditions, conditions));
}

t.test("what a rule does", async (t) => {
  t.equal(readRule("-A C -g KUBE-X").target, "KUBE-X");
  t.equal(readRule('-A C -m comment --comment "-j DROP"').target, undefined);
  t.equal(readRule('-A C -m comment --comment "a \\"b\\"" -j X').comment, 'a "b"');
  t.equal(readRule("-A C -p tcp -m tcp -j DNAT --to-destination [fd00::1]:80").destination, "[fd00::1]:80");
  t.equal(readRule("-A C -j REJECT --reject-with icmp-port-unreachable").destination, undefined);
});

t.test("what a picture tells in its own way", async (t) => {
  t.equal(readRule("-A C -m statistic --mode random --probability 0.50000000000 -j X").probability, 0.5);
  t.equal(readRule("-A C -m recent --rcheck --seconds 60 --reap --name N --rsource -j X").seenWithin, 60);
  t.ok(readRule("-A C -m recent --set --name N --rsource -j X").remembers);
  const { set, protocol } = readRule("-A C -p tcp -m set --match-set KUBE-CLUSTER-IP dst,dst -j X");
  t.strictSame({ set, protocol }, { set: { name: "KUBE-CLUSTER-IP", sides: "dst,dst" }, protocol: "tcp" });
});

t.test("a quotation that does not end", async (t) => {
  t.throws(() => readRule('-A C -m comment --comment "x -j X'), { name: "RuleSyntaxError" });
});
