import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import t from "tap";
import { RuleSyntaxError } from "../../src/errors.ts";
import type { IpSet } from "../../src/state/ip-set.ts";
import { parseSets, printAdd, printSets } from "../../src/state/ipset-text.ts";
import { arbitrarySet } from "../support/arbitrary-sets.ts";
import { FIXTURES } from "../support/golden.ts";
import { takeSeed } from "../support/seed.ts";

const SAVED = readFileSync(join(FIXTURES, "kernel/ipset/save-7.17.txt"), "utf8");

/** The tool's text of what is ours, without what differs from one kernel to the next and in its sorted order. */
const OURS = `
create KUBE-6-CLUSTER-IP hash:ip,port family inet6 hashsize 1024 maxelem 65536
add KUBE-6-CLUSTER-IP ::1.2.3.4,tcp:80
add KUBE-6-CLUSTER-IP fd00:96::7,udp:5000
create KUBE-6-LOAD-BALANCER-SOURCE-CID hash:ip,port,net family inet6 hashsize 1024 maxelem 65536
add KUBE-6-LOAD-BALANCER-SOURCE-CID 2001:db8::5,tcp:443,2001:db8:1::/48
add KUBE-6-LOAD-BALANCER-SOURCE-CID 2001:db8::5,tcp:443,2001:db8:2::7
create KUBE-CLUSTER-IP hash:ip,port family inet hashsize 1024 maxelem 65536
add KUBE-CLUSTER-IP 10.96.0.10,udp:53
add KUBE-CLUSTER-IP 10.96.1.1,tcp:80
add KUBE-CLUSTER-IP 10.96.1.4,sctp:36412
create KUBE-IPVS-IPS hash:ip family inet hashsize 1024 maxelem 65536
add KUBE-IPVS-IPS 10.96.1.1
create KUBE-LOAD-BALANCER-SOURCE-CIDR hash:ip,port,net family inet hashsize 1024 maxelem 65536
add KUBE-LOAD-BALANCER-SOURCE-CIDR 203.0.113.5,tcp:443,192.0.2.0/24
add KUBE-LOAD-BALANCER-SOURCE-CIDR 203.0.113.5,tcp:443,198.51.100.77
create KUBE-LOOP-BACK hash:ip,port,ip family inet hashsize 1024 maxelem 65536
add KUBE-LOOP-BACK 10.71.1.5,tcp:8080,10.71.1.5
create KUBE-NODE-PORT-TCP bitmap:port range 0-65535
add KUBE-NODE-PORT-TCP 0
add KUBE-NODE-PORT-TCP 31080
`
  .trim()
  .split("\n");

t.test("what the tool saved is read, and printed sorted without what the kernel made up", async (t) => {
  const ours = parseSets(SAVED).filter(({ name }) => name.startsWith("KUBE-"));
  t.strictSame(printSets(ours), OURS);
});

t.test(
  "an operator's sets: of a type we know read, with what we do not know as it stands, others left out",
  async (t) => {
    const others = parseSets(SAVED).filter(({ name }) => name.startsWith("operator-"));
    t.strictSame(others, [
      {
        name: "operator-ports",
        type: "hash:ip,port,net",
        family: "inet",
        entries: new Set([
          "1.2.3.4,gre:0,10.0.0.0/8",
          "1.2.3.4,udplite:8,10.0.0.0/8 nomatch",
          "1.2.3.4,icmp:echo-request,10.0.0.0/8 nomatch",
        ]),
      },
      { name: "operator-small", type: "hash:ip", family: "inet", maxEntries: 100, entries: new Set(["10.0.0.1"]) },
    ]);
  },
);

t.test("spellings that mean the same are one entry", async (t) => {
  const text = ["create N hash:ip,port,net", "add N 1.2.3.4,TCP:80,10.1.2.3/8", "add N 1.2.3.4,6:80,10.0.0.0/8"];
  t.strictSame([...(parseSets(text.join("\n"))[0]?.entries ?? [])], ["1.2.3.4,tcp:80,10.0.0.0/8"]);
});

t.test("an option is not mistaken for another", async (t) => {
  const text = 'create N hash:ip,port,net comment\nadd N 1.2.3.4,tcp:80,10.0.0.0/8 comment "a nomatch b"';
  t.strictSame([...(parseSets(text)[0]?.entries ?? [])], ["1.2.3.4,tcp:80,10.0.0.0/8"]);
});

t.test("comments and blank lines say nothing", async (t) => {
  t.strictSame(parseSets("# nothing\n\n"), []);
});

for (const [name, text, line] of [
  ["an entry of no set", "add N 10.0.0.1", 1],
  ["a set without a type", "create N", 1],
  ["another command", "create N hash:ip\nflush N", 2],
  ["half a line", "create N hash:ip\nadd N", 2],
] as const) {
  t.test(`refused: ${name}`, async (t) => {
    t.throws(() => parseSets(text), { name: "RuleSyntaxError", line });
    t.throws(() => parseSets(text), RuleSyntaxError);
  });
}

t.test("an entry's line", async (t) => {
  t.equal(printAdd("KUBE-CLUSTER-IP", "10.96.1.1,tcp:80"), "add KUBE-CLUSTER-IP 10.96.1.1,tcp:80");
});

t.test("what is printed is read again", async (t) => {
  const seed = takeSeed();
  const sets = fc.uniqueArray(arbitrarySet(6), { maxLength: 5, selector: ({ name }) => name });
  const property = fc.property(sets, (all) => {
    const again = parseSets(printSets(all).join("\n"));
    const plain = (set: IpSet) => ({ ...set, entries: [...set.entries].sort() });
    const byName = (one: IpSet, other: IpSet) => (one.name < other.name ? -1 : 1);
    return isDeepStrictEqual(again.map(plain), all.toSorted(byName).map(plain));
  });
  t.doesNotThrow(() => fc.assert(property, { seed, numRuns: 500 }));
});
