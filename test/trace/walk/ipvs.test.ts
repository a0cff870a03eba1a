// Tests walking packets through IPVS.
import t from "tap";
import type { Packet } from "../../../src/trace/packet.ts";
import { stepsTo } from "../../../src/trace/trace.ts";
import { walk } from "../../../src/trace/walk/hooks.ts";
import { buildPacket, nodeWith, printEnds, tableText } from "../../support/one-rule.ts";

const TO_SERVICE: Partial<Packet> = { destination: "10.96.0.80", destinationPort: 80 };

const REAL = ["10.244.0.1", "10.244.0.2", "10.244.0.3"];

function servers(options: string, weights: readonly number[], method = "-m"): string {
  const real = weights.map((weight, at) => `-a -t 10.96.0.80:80 -r ${REAL[at]}:8080 ${method} -w ${weight}`);
  return [`-A -t 10.96.0.80:80 -s ${options}`, ...real, "-A -t [fd00:96::80]:80 -s rr", ""].join("\n");
}

const end = (at: number, share: string) => `network ${REAL[at]} 8080 from 198.18.0.9${share}`;

const REFUSED_SOME = "refused by INPUT possibly";

const CHOICES: readonly [name: string, options: string, weights: readonly number[], ends: readonly string[]][] = [
  ["in turn", "rr", [1, 1, 1], [0, 1, 2].map((at) => end(at, " 1/3 (33.3 %)"))],
  ["in turn, without one that drains", "rr", [1, 0, 1], [end(0, " 1/2 (50 %)"), end(2, " 1/2 (50 %)")]],
  ["by weight", "wrr", [1, 3], [end(0, " 1/4 (25 %)"), end(1, " 3/4 (75 %)")]],
  ["by open connections", "wlc", [1, 3], [end(0, " possibly"), end(1, " possibly")]],
  ["by a hash", "mh", [1, 1], [end(0, " possibly"), end(1, " possibly")]],
  ["the only one", "sh", [1], [end(0, "")]],
  ["by a hash of clients, some of whom had one that drains", "sh", [1, 0], [REFUSED_SOME, end(0, " possibly")]],
  ["by a hash of clients and ports, the same", "mh -b flag-2", [1, 0], [REFUSED_SOME, end(0, " possibly")]],
  ["by a hash of the destination, the same", "dh", [0, 1, 1], [REFUSED_SOME, end(1, " possibly"), end(2, " possibly")]],
  ["by a hash, and another where that one drains", "sh -b sh-fallback", [1, 0], [end(0, "")]],
  ["none by a hash, where all drain", "mh", [0, 0], ["refused by INPUT"]],
  ["the heaviest", "fo", [1, 3, 2], [end(1, "")]],
  ["one of the heaviest", "fo", [1, 3, 3], [end(1, " possibly"), end(2, " possibly")]],
  ["none, where all drain", "rr", [0, 0], ["refused by INPUT"]],
  ["none, where there is none", "rr", [], ["refused by INPUT"]],
];

t.test("a virtual server chooses", async (t) => {
  for (const [name, options, weights, ends] of CHOICES) {
    const field = nodeWith("", { servers: servers(options, weights) });
    t.strictSame(printEnds(walk(field, buildPacket(TO_SERVICE)).outcomes), ends, name);
  }
});

t.test("what is not for a virtual server goes its way", async (t) => {
  const field = nodeWith("", { servers: servers("rr", [1]) });
  const other = { ...TO_SERVICE, destinationPort: 81 };
  t.strictSame(
    printEnds(walk(field, buildPacket(other)).outcomes),
    ["node 10.96.0.80 81 from 198.18.0.9"],
    "another port",
  );
  t.strictSame(
    printEnds(walk(field, buildPacket({ ...TO_SERVICE, protocol: 17 })).outcomes),
    ["node 10.96.0.80 80 from 198.18.0.9"],
    "another protocol",
  );
});

t.test("a virtual server for every port takes what others do not", async (t) => {
  const text = "-A -t 10.96.0.80:0 -s rr -p 60\n-a -t 10.96.0.80:0 -r 10.244.0.9:0 -m -w 1\n";
  const field = nodeWith("", { servers: text });
  const [found] = walk(field, buildPacket({ ...TO_SERVICE, destinationPort: 7777 })).outcomes;
  t.match(stepsTo(found?.lastSteps[0])[0]?.what, /^destination becomes 10\.244\.0\.9:7777 \(rr\); persistence 60 s$/);
});

t.test("what is sent on untranslated is not followed", async (t) => {
  const field = nodeWith("", { servers: servers("rr", [1], "-i") });
  t.strictSame(printEnds(walk(field, buildPacket(TO_SERVICE)).outcomes), [
    "unknown: forwards it to 10.244.0.1 without translation (tunnel), which is not traced",
  ]);
});

const ASKED: readonly [words: string, holds: boolean][] = [
  ["-m ipvs --ipvs", true],
  ["-m ipvs ! --ipvs", false],
  ["-m ipvs --vproto 6", true],
  ["-m ipvs --vproto 17", false],
  ["-m ipvs --vaddr 10.96.0.80/32", true],
  ["-m ipvs ! --vaddr 10.96.0.80/32", false],
  ["-m ipvs --vport 80", true],
  ["-m ipvs --vport 8080", false],
  ["-m ipvs --vportctl 21", false],
  ["-m ipvs --vdir ORIGINAL", true],
  ["-m ipvs --vdir REPLY", false],
  ["-m ipvs --vmethod MASQ", true],
  ["-m ipvs --vmethod GATE", false],
];

t.test("a rule asks about the virtual server", async (t) => {
  for (const [words, holds] of ASKED) {
    const field = nodeWith(tableText("filter", [`-A OUTPUT ${words} -j DROP`]), { servers: servers("rr", [1]) });
    const ends = printEnds(walk(field, buildPacket(TO_SERVICE)).outcomes);
    t.strictSame(ends, [holds ? "dropped by OUTPUT 1" : end(0, "")], words);
  }
});

t.test("a connection that IPVS does not track is not masqueraded", async (t) => {
  const field = nodeWith(tableText("nat", ["-A POSTROUTING -j MASQUERADE"]), { servers: servers("rr", [1]) });
  const masqueraded = "network 10.244.0.1 8080 from 192.0.2.10";
  t.strictSame(printEnds(walk(field, buildPacket(TO_SERVICE)).outcomes), [masqueraded]);
  t.strictSame(printEnds(walk({ ...field, ipvsTracked: false }, buildPacket(TO_SERVICE)).outcomes), [end(0, "")]);
});
