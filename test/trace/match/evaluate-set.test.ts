// Tests evaluating ipsets.
import t from "tap";
import { type Asked, askRule } from "../../support/one-rule.ts";

const SETS = `create NETS hash:net family inet hashsize 1024 maxelem 65536
add NETS 198.18.0.0/15
add NETS 198.18.0.8/29 nomatch
add NETS 198.18.0.9
add NETS 10.0.0.0/8
add NETS 10.244.0.0/16 nomatch
create ADDRESSES hash:ip family inet hashsize 1024 maxelem 65536 comment
add ADDRESSES 198.18.0.9 timeout 0 comment "the one that is nomatch"
create CUT hash:ip family inet netmask 24 hashsize 64 maxelem 65536
add CUT 198.18.0.0
create PORTS hash:ip,port family inet hashsize 1024 maxelem 65536
add PORTS 10.244.0.7,tcp:8080
add PORTS 10.244.0.8,udp:8080
add PORTS 10.244.0.7,47:0
create GUARDED hash:ip,port,net family inet hashsize 1024 maxelem 65536
add GUARDED 10.244.0.7,tcp:8080,198.18.0.0/15
create HAIRPIN hash:ip,port,ip family inet hashsize 1024 maxelem 65536
add HAIRPIN 10.244.0.7,tcp:8080,10.244.0.7
create PAIRS hash:net,net family inet hashsize 1024 maxelem 65536
add PAIRS 198.18.0.0/15,10.244.0.0/24
add PAIRS 198.18.0.0/15,10.244.0.0/16 nomatch
create NUMBERS bitmap:port range 0-65535
add NUMBERS 8080
create SIX hash:net family inet6 hashsize 1024 maxelem 65536
add SIX fd00:244::/64
create MACS hash:ip,mac family inet hashsize 1024 maxelem 65536
add MACS 198.18.0.9,02:00:00:00:00:01
create FACES hash:net,iface family inet hashsize 1024 maxelem 65536
add FACES 198.18.0.0/15,eth0
create SPOILT hash:ip,port family inet hashsize 1024 maxelem 65536
add SPOILT 10.244.0.7
add SPOILT 10.244.0,tcp:8080
add SPOILT 10.244.0.7,nix:8080
create SPOILT6 hash:net family inet6 hashsize 1024 maxelem 65536
add SPOILT6 fd00::/200
add SPOILT6 fd00:244::7
create EMPTY hash:ip family inet hashsize 1024 maxelem 65536
create LIST list:set size 8
add LIST EMPTY
add LIST NUMBERS
create OPEN list:set size 8
add OPEN MACS
create LOOP list:set size 8
add LOOP LOOP
`;

const dump = { sets: SETS };

const BY = (inInterface: string): Asked => ({
  packet: { origin: { kind: "arrives", source: "198.18.0.9", inInterface } },
});

const SEVERAL: Asked = {
  hook: "OUTPUT",
  packet: { origin: { kind: "node" } },
  dump: {
    ...dump,
    addresses: [
      { interface: "eth0", address: "198.18.0.9" },
      { interface: "eth1", address: "198.19.0.9" },
    ],
  },
};

const WHICH = "depends on which of the node's addresses is the source; pass it in --from";

const ROWS: readonly [name: string, words: string, answer: string, asked?: Asked][] = [
  ["a network", "--match-set NETS src", "match"],
  ["an exception from a larger network", "--match-set NETS dst", "no match"],
  ["exceptions, asked for", "--match-set NETS dst --return-nomatch", "match"],
  ["no exception, where exceptions are asked for", "--match-set NETS src --return-nomatch", "no match"],
  ["an address", "--match-set ADDRESSES src", "match"],
  ["another address", "--match-set ADDRESSES dst", "no match"],
  ["any but an address", "! --match-set ADDRESSES src", "no match"],
  ["an address that is cut", "--match-set CUT src", "match"],
  ["an address with a port", "--match-set PORTS dst,dst", "match"],
  ["an address with a port that nobody knows", "--match-set PORTS dst,src", "asks for the port it comes from"],
  [
    "a protocol without ports",
    "--match-set PORTS dst,dst",
    "match",
    { packet: { protocol: 47, destinationPort: undefined } },
  ],
  ["another protocol", "--match-set PORTS dst,dst", "no match", { packet: { protocol: 17 } }],
  ["a type of ICMP", "--match-set PORTS dst,dst", "asks set PORTS for a type of ICMP", { packet: { protocol: 1 } }],
  ["too few parts", "--match-set PORTS dst", "no match"],
  ["a network behind a port", "--match-set GUARDED dst,dst,src", "match"],
  ["an address behind a port", "--match-set HAIRPIN dst,dst,src", "no match"],
  [
    "a client that is its own server",
    "--match-set HAIRPIN dst,dst,src",
    "match",
    { packet: { origin: { kind: "arrives", source: "10.244.0.7" } } },
  ],
  ["two networks", "--match-set PAIRS src,dst", "match"],
  ["two networks and an exception", "--match-set PAIRS src,dst", "no match", { packet: { destination: "10.244.1.7" } }],
  ["a port", "--match-set NUMBERS dst", "match"],
  ["a port of UDP", "--match-set NUMBERS dst", "match", { packet: { protocol: 17 } }],
  ["a port of SCTP, which bitmaps do not know", "--match-set NUMBERS dst", "no match", { packet: { protocol: 132 } }],
  ["a set of IPv6", "--match-set SIX dst", "no match"],
  [
    "a network of IPv6",
    "--match-set SIX dst",
    "match",
    {
      packet: { family: "IPv6", origin: { kind: "arrives", source: "2001:db8::1" }, destination: "fd00:244::7" },
      dump: { ...dump, family: "IPv6" },
    },
  ],
  [
    "an address of a network card",
    "--match-set MACS src,src",
    "set MACS needs the mac of the packet, which is unknown",
  ],
  ["entries that nobody can read", "--match-set SPOILT dst,dst", "no match"],
  [
    "a whole address among networks that nobody can read",
    "--match-set SPOILT6 dst",
    "match",
    {
      packet: {
        family: "IPv6",
        origin: { kind: "arrives", source: "2001:db8::1" },
        destination: "fd00:244::7",
      },
      dump: { ...dump, family: "IPv6" },
    },
  ],
  ["its interface", "--match-set FACES src,src", "match", BY("eth0")],
  ["another interface", "--match-set FACES src,src", "no match", BY("eth1")],
  ["an interface that nobody knows", "--match-set FACES src,src", "set FACES needs the incoming interface; pass --in"],
  ["no interface", "--match-set FACES src,dst", "no match", { hook: "INPUT", packet: { destination: "192.0.2.10" } }],
  ["nothing", "--match-set EMPTY src", "no match"],
  ["one of several sets", "--match-set LIST dst", "match"],
  ["none of several sets", "--match-set LIST dst", "no match", { packet: { destinationPort: 1 } }],
  [
    "several sets of which one is open",
    "--match-set OPEN src,src",
    "set MACS needs the mac of the packet, which is unknown",
  ],
  ["a set in itself", "--match-set LOOP src", "matches set LOOP, which is not in the dump (ipset save)"],
  ["a port, from one of the node's addresses", "--match-set NUMBERS dst", "match", SEVERAL],
  ["a set that is not there", "--match-set GONE src", "matches set GONE, which is not in the dump (ipset save)"],
  ["all of the node's addresses", "--match-set NETS src", "match", SEVERAL],
  ["one of the node's addresses", "--match-set ADDRESSES src", WHICH, SEVERAL],
  [
    "the node's address and what is open",
    "--match-set MACS src,src",
    "set MACS needs the mac of the packet, which is unknown",
    SEVERAL,
  ],
  [
    "addresses that nobody knows",
    "--match-set NETS src",
    WHICH,
    { ...SEVERAL, dump: { ...dump, addresses: undefined } },
  ],
];

t.test("a rule asks a set", async (t) => {
  for (const [name, words, answer, asked] of ROWS) {
    t.equal(askRule(`-m set ${words}`, { dump, ...asked }), answer, name);
  }
});
