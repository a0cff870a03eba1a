// Is the share of a random rule that of all packets, not of those that are left?
import t from "tap";
import { kernelProbability } from "../../src/backends/iptables/probability.ts";
import { sharesOf, WHOLE } from "../../src/draw/rule-shares.ts";
import { readRule } from "../../src/draw/rule-text.ts";

const random = (probability: string) => readRule(`-A C -m statistic --mode random --probability ${probability} -j X`);
const rest = readRule("-A C -j X");
const marked = readRule("-A C -s 10.0.0.1/32 -j KUBE-MARK-MASQ");
const seen = readRule("-A C -m recent --rcheck --seconds 60 --reap --name N --rsource -j X");

for (const count of [2, 3, 7, 44, 1000, 2048]) {
  t.test(`each of ${count} endpoints gets the same`, async (t) => {
    const left = Array.from({ length: count - 1 }, (_, index) => count - index);
    const shares = sharesOf([...left.map((each) => random(kernelProbability(each))), rest]);
    t.equal(shares.length, count);
    t.strictSame([...new Set(shares.map((share) => share?.split(" ")[0]))], [`1/${count}`]);
  });
}

t.test("what chance leaves asks for nothing but the protocol", async (t) => {
  const last = readRule("-A C -p tcp -j DNAT --to-destination 10.0.0.1:80");
  t.strictSame(sharesOf([random("0.25000000000"), last]), ["1/4 (25 %)", "3/4 (75 %)"]);
});

t.test("shares of a chain that part of all packets come to", async (t) => {
  const last = readRule("-A C -p tcp -j DNAT --to-destination 10.0.0.1:80");
  t.strictSame(sharesOf([random("0.50000000000"), last], WHOLE / 4n), ["1/8 (12.5 %)", "1/8 (12.5 %)"]);
  t.strictSame(sharesOf([last], WHOLE / 4n), ["1/4 (25 %)"], "all of it");
});

t.test("what is left to no chance has no share", async (t) => {
  t.strictSame(sharesOf([marked, seen, rest]), [undefined, undefined, undefined]);
  t.strictSame(sharesOf([random("0.25000000000"), marked, seen, rest]), [
    "1/4 (25 %)",
    undefined,
    undefined,
    "3/4 (75 %)",
  ]);
});
