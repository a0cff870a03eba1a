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
  ["its protocol", "-p tcp", "holds"],
  ["another protocol", "-p udp", "fails"],
  ["any but its protocol", "! -p tcp", "fails"],
  ["any but another protocol", "! -p udp", "holds"],
  ["all protocols", "-p all", "holds"],
  ["its source", "-s 198.18.0.0/15", "holds"],
  ["another source", "-s 10.0.0.0/8", "fails"],
  ["any but its source", "! -s 198.18.0.9/32", "fails"],
  ["its destination", "-d 10.244.0.7/32", "holds"],
  ["any but its destination", "! -d 10.244.0.7/32", "fails"],
  ["a destination under a mask that is no prefix", "-d 10.0.0.7/255.0.0.255", "holds"],
  ["an address of IPv6", "-d fd00:244::/64", "holds", V6],
  ["an interface that is not known", "-i eth0", "asks for the interface it comes in by; say --in"],
  ["loopback, for a packet of others", "-i lo", "fails"],
  ["any but loopback, for a packet of others", "! -i lo", "holds"],
  ["its interface", "-i eth0", "holds", BY_ETH0],
  ["interfaces that begin like its own", "-i eth+", "holds", BY_ETH0],
  ["another interface", "-i cni0", "fails", BY_ETH0],
  ["any but another interface", "! -i cni0", "holds", BY_ETH0],
  ["any interface", "-i +", "holds"],
  ["an interface it leaves by", "-o cni0", "asks for the interface it leaves by; say --out"],
  ["the interface it leaves by", "-o cni0", "holds", { packet: { outInterface: "cni0" } }],
  ["an interface where there is none", "-o cni0", "fails", TO_NODE],
  ["any but an interface where there is none", "! -o cni0", "holds", TO_NODE],
  ["what settles it, whatever is unknown", "-i eth0 -o eth1 -p tcp -m tcp --dport 1", "fails"],
  ["fragments", "-f", "fails"],
  ["whole packets", "! -f", "holds"],
  ["its port", "-p tcp -m tcp --dport 8080", "holds"],
  ["a range with its port", "-p tcp -m tcp --dport 8000:9000", "holds"],
  ["another port", "-p tcp -m tcp --dport 80", "fails"],
  ["any but its port", "-p tcp -m tcp ! --dport 8080", "fails"],
  ["one of some ports", "-p tcp -m multiport --dports 80,8080", "holds"],
  ["either port, the destination's", "-p tcp -m multiport --ports 8080", "holds"],
  ["either port, nobody knows", "-p tcp -m multiport --ports 80", "asks for the port it comes from; say it in --from"],
  ["either port, the source's", "-p tcp -m multiport --ports 4000", "holds", { packet: { sourcePort: 4000 } }],
  ["a port it comes from", "-p tcp -m tcp --sport 53", "asks for the port it comes from; say it in --from"],
  ["any port it comes from", "-p tcp -m multiport --sports 0:65535", "holds"],
  ["the port it comes from", "-p tcp -m tcp --sport 4000", "holds", { packet: { sourcePort: 4000 } }],
  ["the first packet of a connection", "-p tcp -m tcp --tcp-flags FIN,SYN,RST,ACK SYN", "holds"],
  ["a later packet of a connection", "-p tcp -m tcp --tcp-flags ACK ACK", "fails"],
  ["no first packet", "-p tcp -m tcp ! --tcp-flags FIN,SYN,RST,ACK SYN", "fails"],
  ["a chunk that opens", "-p sctp -m sctp --chunk-types any INIT", "holds", SCTP],
  ["all chunks that it has", "-p sctp -m sctp --chunk-types all INIT", "holds", SCTP],
  ["more chunks than it has", "-p sctp -m sctp --chunk-types all INIT,DATA", "fails", SCTP],
  ["no other chunks", "-p sctp -m sctp --chunk-types only INIT", "holds", SCTP],
  ["flags of a chunk", "-p sctp -m sctp --chunk-types any INIT:x", "asks for flags of an SCTP chunk", SCTP],
  ["any chunk", "-p sctp -m sctp --chunk-types any ALL", "holds", SCTP],
  ["no chunk that opens", "-p sctp -m sctp ! --chunk-types any INIT", "fails", SCTP],
  ["an echo", "-p icmp -m icmp --icmp-type 8", "holds", ICMP],
  ["another question", "-p icmp -m icmp --icmp-type 13", "fails", ICMP],
  ["an echo and its code", "-p icmp -m icmp --icmp-type 8/0", "holds", ICMP],
  ["an echo and another code", "-p icmp -m icmp --icmp-type 8/1", "fails", ICMP],
  ["any but an echo", "-p icmp -m icmp ! --icmp-type 8", "fails", ICMP],
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
  ["a new connection", "-m conntrack --ctstate NEW", "holds"],
  ["an old connection", "-m conntrack --ctstate RELATED,ESTABLISHED", "fails"],
  ["no old connection", "-m conntrack ! --ctstate ESTABLISHED", "holds"],
  [
    "a connection before it is looked up",
    "-m conntrack --ctstate INVALID",
    "holds",
    { hook: "PREROUTING", table: "raw" },
  ],
  ["a mark", "-m mark --mark 0x4000/0x4000", "fails"],
  ["the packet's mark", "-m mark --mark 0x4000/0x4000", "holds", { packet: { mark: 0x4001 } }],
  ["no mark", "-m mark ! --mark 0x4000/0x4000", "holds"],
  ["a mark with the highest bit", "-m mark --mark 0x80000000/0x80000000", "holds", { packet: { mark: 0xffff_ffff } }],
  ["no mark of its connection", "-m connmark --mark 0x0/0xff", "holds"],
  [
    "a mark of its connection before there is one",
    "-m connmark --mark 0x0",
    "fails",
    { hook: "PREROUTING", table: "raw" },
  ],
  ["where it was sent to", "-m conntrack --ctorigdst 10.244.0.7", "holds"],
  ["any but where it was sent to", "-m conntrack ! --ctorigdst 10.244.0.7", "fails"],
  ["whence it was sent", "-m conntrack --ctorigsrc 198.18.0.9", "holds"],
  ["whence answers come", "-m conntrack --ctreplsrc 10.244.0.7", "holds"],
  ["where answers go to", "-m conntrack --ctrepldst 198.18.0.9", "holds"],
  ["the port it was sent to", "-m conntrack --ctorigdstport 8080", "holds"],
  ["the port answers go to", "-m conntrack --ctrepldstport 1", "asks for the port it comes from; say it in --from"],
  ["the port answers come from", "-m conntrack --ctreplsrcport 8080", "holds"],
  [
    "a protocol before there is a connection",
    "-m conntrack --ctproto 6",
    "fails",
    { hook: "PREROUTING", table: "raw" },
  ],
  ["the connection's protocol", "-m conntrack --ctproto 6", "holds"],
  ["another protocol of the connection", "-m conntrack --ctproto 17", "fails"],
  ["the way to the other side", "-m conntrack --ctdir ORIGINAL", "holds"],
  ["the way back", "-m conntrack --ctdir REPLY", "fails"],
  ["a connection that was answered", "-m conntrack --ctstatus SEEN_REPLY", "fails"],
  ["a connection that was not answered", "-m conntrack ! --ctstatus SEEN_REPLY", "holds"],
];

const ADDRESS: readonly Row[] = [
  ["the node's address", "-m addrtype --dst-type LOCAL", "holds", TO_NODE],
  ["the node's address, of another", "-m addrtype --dst-type LOCAL", "fails"],
  ["the address of another", "-m addrtype --dst-type UNICAST", "holds"],
  ["not the node's address", "-m addrtype ! --src-type LOCAL", "holds"],
  ["the node's or another's", "-m addrtype --dst-type UNICAST,LOCAL", "holds"],
  ["neither of them", "-m addrtype --dst-type BLACKHOLE", "fails"],
  ["the node's, as a source", "-m addrtype --src-type LOCAL", "holds", FROM_NODE],
  ["the node's, as one of several sources", "-m addrtype --src-type LOCAL", "holds", SEVERAL],
  [
    "the address of an interface, when no address is known",
    "-m addrtype --dst-type LOCAL --limit-iface-in",
    "asks which addresses that interface has",
    { ...UNKNOWN_NODE, ...BY_ETH0 },
  ],
  ["many", "-m addrtype --dst-type MULTICAST", "holds", { packet: { destination: "224.0.0.5" } }],
  [
    "many, in IPv6",
    "-m addrtype --dst-type MULTICAST",
    "holds",
    { ...V6, packet: { ...V6.packet, destination: "ff02::1" } },
  ],
  ["all", "-m addrtype --dst-type BROADCAST", "holds", { packet: { destination: "255.255.255.255" } }],
  ["loopback", "-m addrtype --dst-type LOCAL", "holds", { hook: "INPUT", packet: { destination: "127.0.0.2" } }],
  [
    "the node's address, when that is not known",
    "-m addrtype --dst-type LOCAL",
    "asks whether 10.244.0.7 is an address of the node; say --node-address",
    UNKNOWN_NODE,
  ],
  [
    "the address of the interface",
    "-m addrtype --dst-type LOCAL --limit-iface-in",
    "holds",
    { hook: "INPUT", packet: { ...BY_ETH0.packet, destination: "192.0.2.10" } },
  ],
  [
    "the address of another interface",
    "-m addrtype --dst-type LOCAL --limit-iface-in",
    "fails",
    { hook: "INPUT", packet: { ...BY_ETH0.packet, destination: "127.0.0.1" } },
  ],
  ["the address of an interface, of another", "-m addrtype --dst-type LOCAL --limit-iface-in", "fails"],
  [
    "the address of an interface that is not known",
    "-m addrtype --dst-type LOCAL --limit-iface-in",
    "asks for the interface it comes in by; say --in",
    TO_NODE,
  ],
  ["the address of an interface it leaves by", "-m addrtype --dst-type LOCAL --limit-iface-out", "fails", OUT],
  ["its source's interface", "-m addrtype --src-type LOCAL --limit-iface-out", "holds", OUT],
  [
    "one of several sources' interface",
    "-m addrtype --src-type LOCAL --limit-iface-out",
    "asks which addresses that interface has",
    { hook: "OUTPUT", packet: { ...OUT.packet }, dump: { addresses: undefined } },
  ],
  [
    "the address of an interface it leaves by that is not known",
    "-m addrtype --src-type LOCAL --limit-iface-out",
    "asks for the interface it leaves by; say --out",
    FROM_NODE,
  ],
  ["a range", "-m iprange --dst-range 10.244.0.1-10.244.0.9", "holds"],
  ["any but a range", "-m iprange ! --src-range 198.18.0.0-198.18.0.255", "fails"],
];

const WHICH = "asks which of the node's addresses it comes from; say it in --from";

const SOURCE: readonly Row[] = [
  ["one address, though nothing is known", "-s 192.0.2.10/32", WHICH, { ...FROM_NODE, dump: { addresses: undefined } }],
  ["any but one of several addresses", "! -s 192.0.2.10/32", WHICH, SEVERAL],
  ["the only address", "-s 192.0.2.10/32", "holds", FROM_NODE],
  ["one of several addresses", "-s 192.0.2.10/32", WHICH, SEVERAL],
  ["all of several addresses", "-s 192.0.2.0/24", "holds", SEVERAL],
  ["none of several addresses", "! -s 10.0.0.0/8", "holds", SEVERAL],
  ["everything", "-s 0.0.0.0/0", "holds", SEVERAL],
  ["loopback, though nothing is known", "! -s 127.0.0.0/8", "holds", { ...FROM_NODE, dump: { addresses: undefined } }],
  [
    "the address that it was sent from",
    "-s 192.0.2.11/32",
    "holds",
    { ...SEVERAL, packet: { origin: { kind: "node", source: "192.0.2.11" } } },
  ],
  [
    "its own, for a packet to itself",
    "-s 192.0.2.11/32",
    "holds",
    { ...SEVERAL, packet: { origin: { kind: "node" }, destination: "192.0.2.11" } },
  ],
];

const CHANCE: readonly Row[] = [
  ["half of all", "-m statistic --mode random --probability 0.50000000000", "1/2 (50 %)"],
  ["the other half", "-m statistic --mode random ! --probability 0.25000000000", "3/4 (75 %)"],
  ["all of all", "-m statistic --mode random --probability 1.00000000000", "holds"],
  ["none of all", "-m statistic --mode random --probability 0.00000000000", "fails"],
  [
    "half of a third",
    "-m statistic --mode nth --every 3 --packet 0 -m statistic --mode random --probability 0.50000000000",
    "1/6 (16.7 %)",
  ],
  [
    "a share of those of an interface that is not known",
    "-i eth0 -m statistic --mode random --probability 0.50000000000",
    "asks for the interface it comes in by; say --in",
  ],
  [
    "an unknown rate of a share",
    "-m statistic --mode random --probability 0.50000000000 -m limit --limit 3/min",
    "cannot be evaluated for a single packet: -m limit --limit 3/min",
  ],
  ["each one", "-m statistic --mode nth --every 1", "holds"],
  ["a client of before", "-m recent --rcheck --seconds 60 --name L --mask 255.255.255.255 --rsource", "fails"],
  ["no client of before", "-m recent ! --rcheck --seconds 60 --name L --mask 255.255.255.255 --rsource", "holds"],
  [
    "a client that is remembered",
    "-m recent --rcheck --seconds 60 --name L --mask 255.255.255.255 --rsource",
    "holds",
    { packet: { remembered: new Set(["L"]) } },
  ],
  [
    "a client that came often",
    "-m recent --update --seconds 60 --hitcount 6 --name L --mask 255.255.255.255 --rsource",
    "asks how often list L has seen it",
    { packet: { remembered: new Set(["L"]) } },
  ],
  ["a client to remember", "-m recent --set --name L --mask 255.255.255.255 --rsource", "holds"],
];

const HOST: readonly Row[] = [
  ["no bridge port, for the node's own", "-m physdev ! --physdev-is-in", "holds", FROM_NODE],
  ["a bridge port", "-m physdev --physdev-is-in", "asks for the bridge port it came by"],
  ["a bridge port to leave by", "-m physdev --physdev-is-out", "asks for the bridge port it leaves by"],
  ["a user, of what is forwarded", "-m owner --uid-owner 0", "fails"],
  ["a user", "-m owner --uid-owner 0", "asks whose process sends it", FROM_NODE],
  ["a socket, for an address of others", "-m socket --transparent", "fails", { hook: "PREROUTING", table: "mangle" }],
  [
    "a socket on this node",
    "-m socket",
    "asks whether a process listens for it",
    { ...TO_NODE, hook: "PREROUTING", table: "mangle" },
  ],
  ["a way back", "-m rpfilter", "holds", { hook: "PREROUTING", table: "raw" }],
  ["no way back", "-m rpfilter --invert", "fails", { hook: "PREROUTING", table: "raw" }],
  ["IPsec", "-m policy --dir in --pol ipsec", "fails"],
  ["no IPsec", "-m policy --dir in --pol none", "holds"],
  ["one host", "-m pkttype --pkt-type unicast", "holds"],
  ["many hosts", "-m pkttype --pkt-type broadcast", "fails"],
  ["a class of service", "-m tos --tos 0x10/0x3f", "fails"],
  ["no class of service", "-m tos ! --tos 0x10/0x3f", "holds"],
  ["a header of IPv6", "-m rt --rt-type 0", "fails", V6],
  ["a counter", "-m nfacct --nfacct-name  dropped", "holds"],
  ["IPVS, of what it has nothing to do with", "-m ipvs --ipvs", "fails"],
  ["not IPVS", "-m ipvs ! --ipvs", "holds"],
  ["no port of IPVS, of what it has nothing to do with", "-m ipvs ! --vport 80", "fails"],
  ["a rate", "-m limit --limit 3/min", "cannot be evaluated for a single packet: -m limit --limit 3/min"],
  ["what is not known", "-m frobnicate --how much", "is not understood: -m frobnicate --how much"],
  ["another protocol, and what is not known", "-p udp -m frobnicate --how much", "fails"],
  ["another mark, and what is not known", "-m frobnicate --how much -m mark --mark 0x1", "fails"],
  ["a protocol, of UDP", "-p udp -m udp --dport 8080", "holds", UDP],
];

for (const [about, rows] of Object.entries({ HEADER, CONNECTION, ADDRESS, SOURCE, CHANCE, HOST })) {
  t.test(`a rule asks about ${about.toLowerCase()}`, async (t) => {
    for (const [name, words, answer, asked] of rows) t.equal(askRule(words, asked), answer, name);
  });
}
