// Tests evaluating the matches of a rule.
import t from "tap";
import { type Asked, askRule } from "../../support/one-rule.ts";

type Row = readonly [name: string, words: string, answer: string, asked?: Asked];

const V6: Asked = {
  packet: {
    family: "IPv6",
    origin: { kind: "arrives", source: "2001:db8:ee::9" },
    destination: "fd00:244::7",
  },
  dump: { family: "IPv6" },
};

const FROM_NODE: Asked = { hook: "OUTPUT", packet: { origin: { kind: "node" } } };

const TO_NODE: Asked = { hook: "INPUT", packet: { destination: "192.0.2.10" } };

const UDP: Asked = { packet: { protocol: 17 } };

const SCTP: Asked = { packet: { protocol: 132 } };

const ICMP: Asked = { packet: { protocol: 1 } };

const BY_ETH0: Asked = { packet: { origin: { kind: "arrives", source: "198.18.0.9", inInterface: "eth0" } } };

const UNKNOWN_NODE: Asked = { hook: "PREROUTING", table: "mangle", dump: { addresses: undefined } };

const HEADER: readonly Row[] = [
  ["its protocol", "-p tcp", "match"],
  ["another protocol", "-p udp", "no match"],
  ["any but its protocol", "! -p tcp", "no match"],
  ["any but another protocol", "! -p udp", "match"],
  ["all protocols", "-p all", "match"],
  ["its source", "-s 198.18.0.0/15", "match"],
  ["another source", "-s 10.0.0.0/8", "no match"],
  ["any but its source", "! -s 198.18.0.9/32", "no match"],
  ["its destination", "-d 10.244.0.7/32", "match"],
  ["any but its destination", "! -d 10.244.0.7/32", "no match"],
  ["a destination under a mask that is no prefix", "-d 10.0.0.7/255.0.0.255", "match"],
  ["an address of IPv6", "-d fd00:244::/64", "match", V6],
  ["an interface that is not known", "-i eth0", "depends on the incoming interface; pass --in"],
  ["loopback, for a packet of others", "-i lo", "no match"],
  ["any but loopback, for a packet of others", "! -i lo", "match"],
  ["its interface", "-i eth0", "match", BY_ETH0],
  ["interfaces that begin like its own", "-i eth+", "match", BY_ETH0],
  ["another interface", "-i cni0", "no match", BY_ETH0],
  ["any but another interface", "! -i cni0", "match", BY_ETH0],
  ["any interface", "-i +", "match"],
  ["an interface it leaves by", "-o cni0", "depends on the outgoing interface; pass --out"],
  ["the interface it leaves by", "-o cni0", "match", { packet: { outInterface: "cni0" } }],
  ["an interface where there is none", "-o cni0", "no match", TO_NODE],
  ["any but an interface where there is none", "! -o cni0", "match", TO_NODE],
  ["what settles it, whatever is unknown", "-i eth0 -o eth1 -p tcp -m tcp --dport 1", "no match"],
  ["fragments", "-f", "no match"],
  ["whole packets", "! -f", "match"],
  ["its port", "-p tcp -m tcp --dport 8080", "match"],
  ["a range with its port", "-p tcp -m tcp --dport 8000:9000", "match"],
  ["another port", "-p tcp -m tcp --dport 80", "no match"],
  ["any but its port", "-p tcp -m tcp ! --dport 8080", "no match"],
  ["one of some ports", "-p tcp -m multiport --dports 80,8080", "match"],
  ["either port, the destination's", "-p tcp -m multiport --ports 8080", "match"],
  ["either port, nobody knows", "-p tcp -m multiport --ports 80", "depends on the source port; pass it in --from"],
  ["either port, the source's", "-p tcp -m multiport --ports 4000", "match", { packet: { sourcePort: 4000 } }],
  ["a port it comes from", "-p tcp -m tcp --sport 53", "depends on the source port; pass it in --from"],
  ["any port it comes from", "-p tcp -m multiport --sports 0:65535", "match"],
  ["the port it comes from", "-p tcp -m tcp --sport 4000", "match", { packet: { sourcePort: 4000 } }],
  ["the first packet of a connection", "-p tcp -m tcp --tcp-flags FIN,SYN,RST,ACK SYN", "match"],
  ["a later packet of a connection", "-p tcp -m tcp --tcp-flags ACK ACK", "no match"],
  ["no first packet", "-p tcp -m tcp ! --tcp-flags FIN,SYN,RST,ACK SYN", "no match"],
  ["a chunk that opens", "-p sctp -m sctp --chunk-types any INIT", "match", SCTP],
  ["all chunks that it has", "-p sctp -m sctp --chunk-types all INIT", "match", SCTP],
  ["more chunks than it has", "-p sctp -m sctp --chunk-types all INIT,DATA", "no match", SCTP],
  ["no other chunks", "-p sctp -m sctp --chunk-types only INIT", "match", SCTP],
  ["flags of a chunk", "-p sctp -m sctp --chunk-types any INIT:x", "depends on the flags of an SCTP chunk", SCTP],
  ["any chunk", "-p sctp -m sctp --chunk-types any ALL", "match", SCTP],
  ["no chunk that opens", "-p sctp -m sctp ! --chunk-types any INIT", "no match", SCTP],
  ["an echo", "-p icmp -m icmp --icmp-type 8", "match", ICMP],
  ["another question", "-p icmp -m icmp --icmp-type 13", "no match", ICMP],
  ["an echo and its code", "-p icmp -m icmp --icmp-type 8/0", "match", ICMP],
  ["an echo and another code", "-p icmp -m icmp --icmp-type 8/1", "no match", ICMP],
  ["any but an echo", "-p icmp -m icmp ! --icmp-type 8", "no match", ICMP],
];

const SEVERAL = {
  hook: "OUTPUT",
  packet: { origin: { kind: "node" } },
  dump: {
    addresses: [
      { interface: "eth0", address: "192.0.2.10" },
      { interface: "eth1", address: "192.0.2.11" },
      { interface: "eth1", address: "fe80::1" },
    ],
  },
} as const;

const OUT: Asked = { hook: "OUTPUT", packet: { origin: { kind: "node" }, outInterface: "eth0" } };

const CONNECTION: readonly Row[] = [
  ["a new connection", "-m conntrack --ctstate NEW", "match"],
  ["an old connection", "-m conntrack --ctstate RELATED,ESTABLISHED", "no match"],
  ["no old connection", "-m conntrack ! --ctstate ESTABLISHED", "match"],
  [
    "a connection before it is looked up",
    "-m conntrack --ctstate INVALID",
    "match",
    { hook: "PREROUTING", table: "raw" },
  ],
  ["a mark", "-m mark --mark 0x4000/0x4000", "no match"],
  ["the packet's mark", "-m mark --mark 0x4000/0x4000", "match", { packet: { mark: 0x4001 } }],
  ["no mark", "-m mark ! --mark 0x4000/0x4000", "match"],
  ["a mark with the highest bit", "-m mark --mark 0x80000000/0x80000000", "match", { packet: { mark: 0xffff_ffff } }],
  ["no mark of its connection", "-m connmark --mark 0x0/0xff", "match"],
  [
    "a mark of its connection before there is one",
    "-m connmark --mark 0x0",
    "no match",
    { hook: "PREROUTING", table: "raw" },
  ],
  ["where it was sent to", "-m conntrack --ctorigdst 10.244.0.7", "match"],
  ["any but where it was sent to", "-m conntrack ! --ctorigdst 10.244.0.7", "no match"],
  ["whence it was sent", "-m conntrack --ctorigsrc 198.18.0.9", "match"],
  ["whence answers come", "-m conntrack --ctreplsrc 10.244.0.7", "match"],
  ["where answers go to", "-m conntrack --ctrepldst 198.18.0.9", "match"],
  ["the port it was sent to", "-m conntrack --ctorigdstport 8080", "match"],
  ["the port answers go to", "-m conntrack --ctrepldstport 1", "depends on the source port; pass it in --from"],
  ["the port answers come from", "-m conntrack --ctreplsrcport 8080", "match"],
  [
    "a protocol before there is a connection",
    "-m conntrack --ctproto 6",
    "no match",
    { hook: "PREROUTING", table: "raw" },
  ],
  ["the connection's protocol", "-m conntrack --ctproto 6", "match"],
  ["another protocol of the connection", "-m conntrack --ctproto 17", "no match"],
  ["the way to the other side", "-m conntrack --ctdir ORIGINAL", "match"],
  ["the way back", "-m conntrack --ctdir REPLY", "no match"],
  ["a connection that was answered", "-m conntrack --ctstatus SEEN_REPLY", "no match"],
  ["a connection that was not answered", "-m conntrack ! --ctstatus SEEN_REPLY", "match"],
];

const ADDRESS: readonly Row[] = [
  ["the node's address", "-m addrtype --dst-type LOCAL", "match", TO_NODE],
  ["the node's address, of another", "-m addrtype --dst-type LOCAL", "no match"],
  ["the address of another", "-m addrtype --dst-type UNICAST", "match"],
  ["not the node's address", "-m addrtype ! --src-type LOCAL", "match"],
  ["the node's or another's", "-m addrtype --dst-type UNICAST,LOCAL", "match"],
  ["neither of them", "-m addrtype --dst-type BLACKHOLE", "no match"],
  ["the node's, as a source", "-m addrtype --src-type LOCAL", "match", FROM_NODE],
  ["the node's, as one of several sources", "-m addrtype --src-type LOCAL", "match", SEVERAL],
  [
    "the address of an interface, when no address is known",
    "-m addrtype --dst-type LOCAL --limit-iface-in",
    "depends on the addresses of that interface; pass --node-address",
    { ...UNKNOWN_NODE, ...BY_ETH0 },
  ],
  ["many", "-m addrtype --dst-type MULTICAST", "match", { packet: { destination: "224.0.0.5" } }],
  [
    "many, in IPv6",
    "-m addrtype --dst-type MULTICAST",
    "match",
    { ...V6, packet: { ...V6.packet, destination: "ff02::1" } },
  ],
  ["all", "-m addrtype --dst-type BROADCAST", "match", { packet: { destination: "255.255.255.255" } }],
  ["loopback", "-m addrtype --dst-type LOCAL", "match", { hook: "INPUT", packet: { destination: "127.0.0.2" } }],
  [
    "the node's address, when that is not known",
    "-m addrtype --dst-type LOCAL",
    "depends on whether 10.244.0.7 is a local address of the node; pass --node-address",
    UNKNOWN_NODE,
  ],
  [
    "the address of the interface",
    "-m addrtype --dst-type LOCAL --limit-iface-in",
    "match",
    { hook: "INPUT", packet: { ...BY_ETH0.packet, destination: "192.0.2.10" } },
  ],
  [
    "the address of another interface",
    "-m addrtype --dst-type LOCAL --limit-iface-in",
    "no match",
    { hook: "INPUT", packet: { ...BY_ETH0.packet, destination: "127.0.0.1" } },
  ],
  ["the address of an interface, of another", "-m addrtype --dst-type LOCAL --limit-iface-in", "no match"],
  [
    "the address of an interface that is not known",
    "-m addrtype --dst-type LOCAL --limit-iface-in",
    "depends on the incoming interface; pass --in",
    TO_NODE,
  ],
  ["the address of an interface it leaves by", "-m addrtype --dst-type LOCAL --limit-iface-out", "no match", OUT],
  ["its source's interface", "-m addrtype --src-type LOCAL --limit-iface-out", "match", OUT],
  [
    "one of several sources' interface",
    "-m addrtype --src-type LOCAL --limit-iface-out",
    "depends on the addresses of that interface; pass --node-address",
    { hook: "OUTPUT", packet: { ...OUT.packet }, dump: { addresses: undefined } },
  ],
  [
    "the address of an interface it leaves by that is not known",
    "-m addrtype --src-type LOCAL --limit-iface-out",
    "depends on the outgoing interface; pass --out",
    FROM_NODE,
  ],
  ["a range", "-m iprange --dst-range 10.244.0.1-10.244.0.9", "match"],
  ["any but a range", "-m iprange ! --src-range 198.18.0.0-198.18.0.255", "no match"],
];

const WHICH = "depends on which of the node's addresses is the source; pass it in --from";

const SOURCE: readonly Row[] = [
  ["one address, though nothing is known", "-s 192.0.2.10/32", WHICH, { ...FROM_NODE, dump: { addresses: undefined } }],
  ["any but one of several addresses", "! -s 192.0.2.10/32", WHICH, SEVERAL],
  ["the only address", "-s 192.0.2.10/32", "match", FROM_NODE],
  ["one of several addresses", "-s 192.0.2.10/32", WHICH, SEVERAL],
  ["all of several addresses", "-s 192.0.2.0/24", "match", SEVERAL],
  ["none of several addresses", "! -s 10.0.0.0/8", "match", SEVERAL],
  ["everything", "-s 0.0.0.0/0", "match", SEVERAL],
  ["loopback, though nothing is known", "! -s 127.0.0.0/8", "match", { ...FROM_NODE, dump: { addresses: undefined } }],
  [
    "the address that it was sent from",
    "-s 192.0.2.11/32",
    "match",
    { ...SEVERAL, packet: { origin: { kind: "node", source: "192.0.2.11" } } },
  ],
  [
    "its own, for a packet to itself",
    "-s 192.0.2.11/32",
    "match",
    { ...SEVERAL, packet: { origin: { kind: "node" }, destination: "192.0.2.11" } },
  ],
];

const CHANCE: readonly Row[] = [
  ["half of all", "-m statistic --mode random --probability 0.50000000000", "1/2 (50 %)"],
  ["the other half", "-m statistic --mode random ! --probability 0.25000000000", "3/4 (75 %)"],
  ["all of all", "-m statistic --mode random --probability 1.00000000000", "match"],
  ["none of all", "-m statistic --mode random --probability 0.00000000000", "no match"],
  [
    "half of a third",
    "-m statistic --mode nth --every 3 --packet 0 -m statistic --mode random --probability 0.50000000000",
    "1/6 (16.7 %)",
  ],
  [
    "a share of those of an interface that is not known",
    "-i eth0 -m statistic --mode random --probability 0.50000000000",
    "depends on the incoming interface; pass --in",
  ],
  [
    "an unknown rate of a share",
    "-m statistic --mode random --probability 0.50000000000 -m limit --limit 3/min",
    "cannot be evaluated for a single packet: -m limit --limit 3/min",
  ],
  ["each one", "-m statistic --mode nth --every 1", "match"],
  ["a client of before", "-m recent --rcheck --seconds 60 --name L --mask 255.255.255.255 --rsource", "no match"],
  ["no client of before", "-m recent ! --rcheck --seconds 60 --name L --mask 255.255.255.255 --rsource", "match"],
  [
    "a client that is remembered",
    "-m recent --rcheck --seconds 60 --name L --mask 255.255.255.255 --rsource",
    "match",
    { packet: { recentLists: new Set(["L"]) } },
  ],
  [
    "a client that came often",
    "-m recent --update --seconds 60 --hitcount 6 --name L --mask 255.255.255.255 --rsource",
    "depends on how often the source was seen in recent list L",
    { packet: { recentLists: new Set(["L"]) } },
  ],
  ["a client to remember", "-m recent --set --name L --mask 255.255.255.255 --rsource", "match"],
];

const HOST: readonly Row[] = [
  ["no bridge port, for the node's own", "-m physdev ! --physdev-is-in", "match", FROM_NODE],
  ["a bridge port", "-m physdev --physdev-is-in", "depends on the incoming bridge port"],
  ["a bridge port to leave by", "-m physdev --physdev-is-out", "depends on the outgoing bridge port"],
  ["a user, of what is forwarded", "-m owner --uid-owner 0", "no match"],
  ["a user", "-m owner --uid-owner 0", "depends on the user of the sending process", FROM_NODE],
  [
    "a socket, for an address of others",
    "-m socket --transparent",
    "no match",
    { hook: "PREROUTING", table: "mangle" },
  ],
  [
    "a socket on this node",
    "-m socket",
    "depends on whether a process listens on the destination",
    { ...TO_NODE, hook: "PREROUTING", table: "mangle" },
  ],
  ["a way back", "-m rpfilter", "match", { hook: "PREROUTING", table: "raw" }],
  ["no way back", "-m rpfilter --invert", "no match", { hook: "PREROUTING", table: "raw" }],
  ["IPsec", "-m policy --dir in --pol ipsec", "no match"],
  ["no IPsec", "-m policy --dir in --pol none", "match"],
  ["one host", "-m pkttype --pkt-type unicast", "match"],
  ["many hosts", "-m pkttype --pkt-type broadcast", "no match"],
  ["a class of service", "-m tos --tos 0x10/0x3f", "no match"],
  ["no class of service", "-m tos ! --tos 0x10/0x3f", "match"],
  ["a header of IPv6", "-m rt --rt-type 0", "no match", V6],
  ["a counter", "-m nfacct --nfacct-name  dropped", "match"],
  ["IPVS, of what it has nothing to do with", "-m ipvs --ipvs", "no match"],
  ["not IPVS", "-m ipvs ! --ipvs", "match"],
  ["no port of IPVS, of what it has nothing to do with", "-m ipvs ! --vport 80", "no match"],
  ["a rate", "-m limit --limit 3/min", "cannot be evaluated for a single packet: -m limit --limit 3/min"],
  ["what is not known", "-m frobnicate --how much", "has an unsupported match: -m frobnicate --how much"],
  ["another protocol, and what is not known", "-p udp -m frobnicate --how much", "no match"],
  ["another mark, and what is not known", "-m frobnicate --how much -m mark --mark 0x1", "no match"],
  ["a protocol, of UDP", "-p udp -m udp --dport 8080", "match", UDP],
];

for (const [about, rows] of Object.entries({ HEADER, CONNECTION, ADDRESS, SOURCE, CHANCE, HOST })) {
  t.test(`a rule asks about ${about.toLowerCase()}`, async (t) => {
    for (const [name, words, answer, asked] of rows) t.equal(askRule(words, asked), answer, name);
  });
}
