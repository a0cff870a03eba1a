// Tests walking packets through hooks, tables and chains.
import t from "tap";
import { TABLES, type TableName } from "../../../src/state/kernel-state.ts";
import type { Packet } from "../../../src/trace/packet.ts";
import type { DumpTexts } from "../../../src/trace/ruleset.ts";
import { stepsTo } from "../../../src/trace/trace.ts";
import { walk } from "../../../src/trace/walk/hooks.ts";
import { buildPacket, nodeWith, printEnds, tableText } from "../../support/one-rule.ts";

/** Every table and hook only counts. */
const COUNTING = TABLES.map((table) =>
  tableText(
    table,
    hooksOf(table).map((hook) => `-A ${hook}`),
  ),
).join("\n");

function hooksOf(table: TableName): readonly string[] {
  const hooks = { raw: ["PREROUTING", "OUTPUT"], nat: ["PREROUTING", "INPUT", "OUTPUT", "POSTROUTING"] };
  if (table === "raw" || table === "nat") return hooks[table];
  return table === "mangle"
    ? ["PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"]
    : ["INPUT", "FORWARD", "OUTPUT"];
}

const FROM_NODE: Partial<Packet> = { origin: { kind: "node" } };

const SERVERS = [
  "-A -t 10.96.0.80:80 -s rr",
  "-a -t 10.96.0.80:80 -r 10.244.0.7:8080 -m -w 1",
  "-A -t 10.96.0.81:80 -s rr",
  "-a -t 10.96.0.81:80 -r 192.0.2.10:8080 -m -w 1",
  "",
].join("\n");

const IN = ["raw PREROUTING", "mangle PREROUTING", "nat PREROUTING"];

const OUT = ["raw OUTPUT", "mangle OUTPUT", "nat OUTPUT"];

const LOCAL = ["mangle INPUT", "filter INPUT", "security INPUT"];

const POST = ["mangle POSTROUTING", "nat POSTROUTING"];

const BACK = ["raw PREROUTING", "mangle PREROUTING", ...LOCAL];

const AGAIN = ["raw OUTPUT", "mangle OUTPUT", "filter OUTPUT", "security OUTPUT"];

const WAYS: readonly [name: string, packet: Partial<Packet>, way: readonly string[]][] = [
  ["through the node", {}, [...IN, "mangle FORWARD", "filter FORWARD", "security FORWARD", ...POST]],
  ["to the node", { destination: "192.0.2.10" }, [...IN, ...LOCAL, "nat INPUT"]],
  ["from the node", FROM_NODE, [...OUT, "filter OUTPUT", "security OUTPUT", ...POST]],
  [
    "from the node to itself",
    { ...FROM_NODE, destination: "127.0.0.1" },
    [...OUT, "filter OUTPUT", "security OUTPUT", ...POST, ...BACK],
  ],
  [
    "by IPVS to another host",
    { destination: "10.96.0.80", destinationPort: 80 },
    [...IN, ...LOCAL, "IPVS INPUT", ...AGAIN, ...POST],
  ],
  [
    "by IPVS to the node itself",
    { destination: "10.96.0.81", destinationPort: 80 },
    [...IN, ...LOCAL, "IPVS INPUT", "nat INPUT"],
  ],
  [
    "from the node by IPVS to another host",
    { ...FROM_NODE, destination: "10.96.0.80", destinationPort: 80 },
    [...OUT, "IPVS OUTPUT", ...AGAIN, ...POST],
  ],
  [
    "from the node by IPVS to itself",
    { ...FROM_NODE, destination: "10.96.0.81", destinationPort: 80 },
    [...OUT, "IPVS OUTPUT", "filter OUTPUT", "security OUTPUT", ...POST, ...BACK],
  ],
];

t.test("hooks are passed in the kernel's order", async (t) => {
  const field = nodeWith(COUNTING, { servers: SERVERS });
  for (const [name, given, way] of WAYS) {
    const { outcomes } = walk(field, buildPacket(given));
    const met = stepsTo(outcomes[0]?.lastSteps[0]).map(({ at }) =>
      "rule" in at ? `${at.table} ${at.hook}` : `IPVS ${at.hook}`,
    );
    t.strictSame(met, way, name);
  }
});

type Row = readonly [
  name: string,
  rules: string,
  ends: readonly string[],
  packet?: Partial<Packet>,
  dump?: Partial<DumpTexts>,
];

const NAT = (...lines: readonly string[]) => tableText("nat", lines);

const FILTER = (...lines: readonly string[]) => tableText("filter", lines);

const TO_POD = ["network 10.244.0.7 8080 from 198.18.0.9"];

const CHAINS: readonly Row[] = [
  ["nothing is in the way", "", TO_POD],
  ["a rule drops", FILTER("-A FORWARD -j DROP"), ["dropped by FORWARD 1"]],
  ["the first verdict counts", FILTER("-A FORWARD -j ACCEPT", "-A FORWARD -j DROP"), TO_POD],
  ["a policy drops", FILTER().replace("FORWARD ACCEPT", "FORWARD DROP"), ["dropped by policy of filter FORWARD"]],
  [
    "a policy counts after RETURN",
    FILTER("-A FORWARD -j RETURN").replace("FORWARD ACCEPT", "FORWARD DROP"),
    ["dropped by policy of filter FORWARD"],
  ],
  [
    "a jump comes back",
    FILTER("-A FORWARD -j X", "-A FORWARD -j DROP", "-A X -m mark --mark 0x1 -j ACCEPT"),
    ["dropped by FORWARD 2"],
  ],
  [
    "RETURN comes back",
    FILTER("-A FORWARD -j X", "-A FORWARD -j DROP", "-A X -j RETURN", "-A X -j ACCEPT"),
    ["dropped by FORWARD 2"],
  ],
  ["a goto does not come back", FILTER("-A FORWARD -g X", "-A FORWARD -j DROP", "-A X -j RETURN"), TO_POD],
  [
    "a goto comes back to the caller",
    FILTER("-A FORWARD -j X", "-A FORWARD -j DROP", "-A X -g Y", "-A X -j ACCEPT", "-A Y"),
    ["dropped by FORWARD 2"],
  ],
  [
    "a chain is missing",
    FILTER("-A FORWARD -j GONE"),
    ["unknown: jumps to GONE, which is neither a chain of the dump nor a known target"],
  ],
  [
    "chains jump in a ring",
    FILTER("-A FORWARD -j X", "-A X -j X"),
    ["unknown: jumps deeper than the kernel allows: the chains form a loop"],
  ],
  ["REJECT as it is", FILTER("-A FORWARD -j REJECT"), ["rejected icmp-port-unreachable"]],
  ["REJECT with an answer", FILTER("-A FORWARD -p tcp -j REJECT --reject-with tcp-reset"), ["rejected tcp-reset"]],
  [
    "a queue",
    FILTER("-A FORWARD -j NFQUEUE --queue-num 1"),
    ["unknown: sends it to a program in user space, which decides"],
  ],
  [
    "what is not understood",
    FILTER("-A FORWARD -j FROB --nicate 1"),
    ["unknown: has an unsupported target: -j FROB --nicate 1"],
  ],
  [
    "a rule that nobody can read",
    FILTER('-A FORWARD -m comment --comment "x'),
    ['unknown: has an unsupported match: -A FORWARD -m comment --comment "x\nCOMMIT'],
  ],
  ["LOG lets it on", FILTER('-A FORWARD -j LOG --log-prefix "x "', "-A FORWARD -j DROP"), ["dropped by FORWARD 2"]],
  [
    "a proxy",
    tableText("mangle", ["-A PREROUTING -p tcp -j TPROXY --on-port 15001 --on-ip 127.0.0.1 --tproxy-mark 0x1/0x1"]),
    ["unknown: sends it to a transparent proxy on this node, if one listens"],
  ],
];

const OPEN: readonly Row[] = [
  ["LOG at some rate is of no matter", FILTER("-A FORWARD -m limit --limit 3/min -j LOG"), TO_POD],
  ["a chain that only logs is of no matter", FILTER("-A FORWARD -i eth0 -j X", "-A X -j LOG"), TO_POD],
  [
    "RETURN before rules for others is of no matter",
    FILTER("-A FORWARD -j X", "-A X -i eth0 -j RETURN", "-A X -d 10.9.9.9/32 -j DROP"),
    TO_POD,
  ],
  [
    "RETURN before a rule for it is the end",
    FILTER("-A FORWARD -j X", "-A X -i eth0 -j RETURN", "-A X -j DROP"),
    ["unknown: depends on the incoming interface; pass --in"],
  ],
  ["ACCEPT before a policy that accepts", FILTER("-A FORWARD -i eth0 -j ACCEPT"), TO_POD],
  [
    "DROP before a policy that drops",
    FILTER("-A FORWARD -i eth0 -j DROP").replace("FORWARD ACCEPT", "FORWARD DROP"),
    ["dropped by policy of filter FORWARD"],
  ],
  [
    "REJECT in either way",
    FILTER("-A FORWARD -i eth0 -j REJECT", "-A FORWARD -j REJECT"),
    ["rejected icmp-port-unreachable"],
  ],
  [
    "two ways that meet at an open question",
    FILTER("-A FORWARD -i eth0 -j X", "-A FORWARD -o eth1 -j DROP", "-A X"),
    ["unknown: depends on the outgoing interface; pass --out"],
  ],
  [
    "the same lots in either way",
    FILTER(
      "-A FORWARD -i eth0 -j X",
      "-A FORWARD -m statistic --mode random --probability 0.50000000000 -j DROP",
      "-A X -m mark --mark 0x1 -j DROP",
    ),
    ["dropped by FORWARD 2 1/2 (50 %)", "network 10.244.0.7 8080 from 198.18.0.9 1/2 (50 %)"],
  ],
  [
    "other lots in one way",
    FILTER("-A FORWARD -i eth0 -j X", "-A X -m statistic --mode random --probability 0.50000000000 -j DROP"),
    ["unknown: depends on the incoming interface; pass --in"],
  ],
  [
    "a target that nobody knows in one way",
    FILTER("-A FORWARD -i eth0 -j GONE"),
    ["unknown: depends on the incoming interface; pass --in"],
  ],
  [
    "a program in one way",
    FILTER("-A FORWARD -i eth0 -j NFQUEUE --queue-num 1"),
    ["unknown: depends on the incoming interface; pass --in"],
  ],
  [
    "a question within a question",
    FILTER("-A FORWARD -i eth0 -j X", "-A X -o eth1 -j RETURN", "-A X -d 10.9.9.9/32 -j DROP"),
    TO_POD,
  ],
];

/** So many lots lie one behind the other that nobody follows them all. */
const DEEP = Array.from({ length: 1100 }, (_, at) => {
  return `-A X -m statistic --mode random --probability 0.50000000000 -j MARK --set-xmark 0x${at.toString(16)}/0xffffffff`;
});

t.test("an open question before very many lots is the end", async (t) => {
  const { outcomes } = walk(nodeWith(FILTER("-A FORWARD -i eth0 -j X", ...DEEP)), buildPacket());
  t.strictSame(printEnds(outcomes), ["unknown: depends on the incoming interface; pass --in"]);
});

const THIRD = "-m statistic --mode random --probability 0.33333333349";

const HALF = "-m statistic --mode random --probability 0.50000000000";

const LOTS: readonly Row[] = [
  [
    "three endpoints have a third each",
    NAT(
      "-A PREROUTING -j S",
      `-A S ${THIRD} -j DNAT --to-destination 10.244.0.1`,
      `-A S ${HALF} -j DNAT --to-destination 10.244.0.2`,
      "-A S -j DNAT --to-destination 10.244.0.3",
    ),
    ["1", "2", "3"].map((last) => `network 10.244.0.${last} 8080 from 198.18.0.9 1/3 (33.3 %)`),
  ],
  [
    "equal ends are one",
    FILTER(`-A FORWARD ${HALF} -j X`, "-A FORWARD -d 10.244.0.7/32 -j ACCEPT", "-A X -j ACCEPT"),
    TO_POD,
  ],
  [
    "all that a rule drops is one end",
    `${NAT(`-A PREROUTING ${HALF} -j DNAT --to-destination 10.244.0.1`)}${FILTER("-A FORWARD -j DROP")}`,
    ["dropped by FORWARD 1"],
  ],
  [
    "ends at different rules are two",
    FILTER(`-A FORWARD ${HALF} -j DROP`, "-A FORWARD -j DROP"),
    ["dropped by FORWARD 1 1/2 (50 %)", "dropped by FORWARD 2 1/2 (50 %)"],
  ],
  [
    "ways that part and meet are one",
    FILTER(...Array.from({ length: 200 }, () => `-A FORWARD ${HALF} -j X`), "-A X -j RETURN"),
    TO_POD,
  ],
];

for (const [about, rows] of Object.entries({ CHAINS, OPEN, LOTS })) {
  t.test(`ends: ${about.toLowerCase()}`, async (t) => {
    for (const [name, rules, ends, packet, dump] of rows) {
      t.strictSame(printEnds(walk(nodeWith(rules, dump), buildPacket(packet)).outcomes), ends, name);
    }
  });
}

const OUTCOMES: readonly Row[] = [
  [
    "DNAT to the node's own address goes in",
    NAT("-A PREROUTING -p tcp -j DNAT --to-destination 192.0.2.10:6443"),
    ["node 192.0.2.10 6443 from 198.18.0.9"],
  ],
  [
    "DNAT of a port alone",
    NAT("-A PREROUTING -p tcp -j DNAT --to-destination :9090"),
    ["network 10.244.0.7 9090 from 198.18.0.9"],
  ],
  [
    "DNAT to a range of addresses",
    NAT("-A PREROUTING -j DNAT --to-destination 10.244.0.8-10.244.0.9"),
    ["network 10.244.0.8 8080 from 198.18.0.9 possibly", "network 10.244.0.9 8080 from 198.18.0.9 possibly"],
  ],
  [
    "DNAT to too many addresses",
    NAT("-A PREROUTING -j DNAT --to-destination 10.0.0.0-10.255.255.255"),
    ["unknown: translates the destination to one of more than 64 addresses"],
  ],
  [
    "DNAT to ports with its own among them",
    NAT("-A PREROUTING -p tcp -j DNAT --to-destination 10.0.0.1:8000-9000"),
    ["network 10.0.0.1 8080 from 198.18.0.9"],
  ],
  [
    "DNAT to other ports",
    NAT("-A PREROUTING -p tcp -j DNAT --to-destination 10.0.0.1:80-90"),
    ["unknown: sends it to one of the ports 80-90"],
  ],
  [
    "DNAT that moves ports",
    NAT("-A PREROUTING -p tcp -m tcp --dport 8000:9000 -j DNAT --to-destination 10.0.0.1:18000-19000/8000"),
    ["network 10.0.0.1 18080 from 198.18.0.9"],
  ],
  [
    "DNAT of a protocol without ports",
    NAT("-A PREROUTING -j DNAT --to-destination 10.0.0.1"),
    ["network 10.0.0.1 from 198.18.0.9"],
    { protocol: 47, destinationPort: undefined },
  ],
  [
    "REDIRECT of the node's own",
    NAT("-A OUTPUT -p tcp -j REDIRECT --to-ports 15001"),
    ["node 127.0.0.1 15001 from 192.0.2.10"],
    FROM_NODE,
  ],
  [
    "REDIRECT by the only address",
    NAT("-A PREROUTING -p tcp -j REDIRECT --to-ports 15006"),
    ["node 192.0.2.10 15006 from 198.18.0.9"],
  ],
  [
    "REDIRECT by an interface",
    NAT("-A PREROUTING -p tcp -j REDIRECT"),
    ["node 192.0.2.10 8080 from 198.18.0.9"],
    { origin: { kind: "arrives", source: "198.18.0.9", inInterface: "eth0" } },
  ],
  [
    "REDIRECT by an interface without address",
    NAT("-A PREROUTING -p tcp -j REDIRECT"),
    ["unknown: redirects it to the address of the incoming interface; pass --in and --node-address"],
    { origin: { kind: "arrives", source: "198.18.0.9", inInterface: "eth9" } },
  ],
  [
    "NETMAP of destinations",
    NAT("-A PREROUTING -j NETMAP --to 10.9.0.0/16"),
    ["network 10.9.0.7 8080 from 198.18.0.9"],
  ],
  [
    "SNAT to one port",
    NAT("-A POSTROUTING -p tcp -j SNAT --to-source 192.0.2.77:4000"),
    ["network 10.244.0.7 8080 from 192.0.2.77"],
  ],
  ["SET lets it on", FILTER("-A FORWARD -j SET --add-set X src", "-A FORWARD -j DROP"), ["dropped by FORWARD 2"]],
  ["NETMAP of sources", NAT("-A POSTROUTING -j NETMAP --to 10.9.0.0/16"), ["network 10.244.0.7 8080 from 10.9.0.9"]],
  [
    "NETMAP of a source that is not known",
    NAT("-A POSTROUTING -j NETMAP --to 10.9.0.0/16"),
    ["unknown: maps the source, which is one of the node's addresses; pass it in --from"],
    FROM_NODE,
    {
      addresses: [
        { interface: "a", address: "192.0.2.1" },
        { interface: "b", address: "192.0.2.2" },
      ],
    },
  ],
  ["MASQUERADE by the only address", NAT("-A POSTROUTING -j MASQUERADE"), ["network 10.244.0.7 8080 from 192.0.2.10"]],
  [
    "MASQUERADE by one of several addresses",
    NAT("-A POSTROUTING -j MASQUERADE"),
    ["network 10.244.0.7 8080 from the node"],
    {},
    {
      addresses: [
        { interface: "a", address: "192.0.2.1" },
        { interface: "b", address: "192.0.2.2" },
      ],
    },
  ],
  [
    "MASQUERADE by an interface",
    NAT("-A POSTROUTING -j MASQUERADE"),
    ["network 10.244.0.7 8080 from 192.0.2.2"],
    { outInterface: "b" },
    {
      addresses: [
        { interface: "a", address: "192.0.2.1" },
        { interface: "b", address: "192.0.2.2" },
      ],
    },
  ],
  ["SNAT", NAT("-A POSTROUTING -j SNAT --to-source 192.0.2.77"), ["network 10.244.0.7 8080 from 192.0.2.77"]],
  [
    "SNAT of ports alone",
    NAT("-A POSTROUTING -p tcp -j SNAT --to-source :1024-2048"),
    ["network 10.244.0.7 8080 from 198.18.0.9"],
  ],
  [
    "SNAT to a range",
    NAT("-A POSTROUTING -j SNAT --to-source 192.0.2.77-192.0.2.78"),
    ["network 10.244.0.7 8080 from 192.0.2.77 possibly", "network 10.244.0.7 8080 from 192.0.2.78 possibly"],
  ],
  [
    "SNAT to too many addresses",
    NAT("-A POSTROUTING -j SNAT --to-source 10.0.0.0-10.255.255.255"),
    ["unknown: translates the source to one of more than 64 addresses"],
  ],
  [
    "a connection that is not tracked is not translated",
    `${tableText("raw", ["-A PREROUTING -j CT --notrack"])}${NAT("-A PREROUTING -j DNAT --to-destination 10.0.0.1")}${FILTER("-A FORWARD -m conntrack --ctstate UNTRACKED -j DROP")}`,
    ["dropped by FORWARD 1"],
  ],
  [
    "a connection that is tracked already stays so",
    `${NAT("-A PREROUTING -j DNAT --to-destination 10.0.0.1")}${tableText("mangle", ["-A PREROUTING -j CT --notrack"])}`,
    ["network 10.0.0.1 8080 from 198.18.0.9"],
  ],
  [
    "marks are saved and restored",
    `${tableText("mangle", ["-A PREROUTING -j MARK --set-xmark 0x5/0xffffffff", "-A PREROUTING -j CONNMARK --save-mark --nfmask 0xffffffff --ctmask 0xffffffff", "-A PREROUTING -j MARK --set-xmark 0x0/0xffffffff", "-A FORWARD -j CONNMARK --restore-mark --nfmask 0xf --ctmask 0xf"])}${FILTER("-A FORWARD -m mark --mark 0x5 -j DROP")}`,
    ["dropped by FORWARD 1"],
  ],
  [
    "a connection is marked",
    `${tableText("mangle", ["-A PREROUTING -j CONNMARK --set-xmark 0x80/0x80"])}${FILTER("-A FORWARD -m connmark --mark 0x80/0x80 -j DROP")}`,
    ["dropped by FORWARD 1"],
  ],
  [
    "a connection cannot be marked before there is one",
    `${tableText("raw", ["-A PREROUTING -j CONNMARK --set-xmark 0x80/0x80"])}${FILTER("-A FORWARD -m connmark --mark 0x80/0x80 -j DROP")}`,
    TO_POD,
  ],
  [
    "a translated connection is known as such",
    `${NAT("-A PREROUTING -j DNAT --to-destination 10.0.0.1")}${FILTER("-A FORWARD -m conntrack --ctstate DNAT -j DROP")}`,
    ["dropped by FORWARD 1"],
  ],
  [
    "one translated to where it goes anyway is not",
    `${NAT("-A PREROUTING -j DNAT --to-destination 10.244.0.7")}${FILTER("-A FORWARD -m conntrack --ctstate DNAT -j DROP")}`,
    TO_POD,
  ],
  [
    "a connection that comes back by loopback is confirmed",
    FILTER("-A INPUT -i lo -m conntrack --ctstate NEW,SNAT --ctstatus CONFIRMED -j DROP"),
    ["dropped by INPUT 1"],
    { ...FROM_NODE, destination: "192.0.2.10" },
  ],
  [
    "a list remembers a client at once",
    FILTER(
      "-A FORWARD -m recent --set --name L --mask 255.255.255.255 --rsource",
      "-A FORWARD -m recent --rcheck --name L --mask 255.255.255.255 --rsource -j DROP",
    ),
    ["dropped by FORWARD 2"],
  ],
  [
    "a list counts it once",
    FILTER(
      "-A FORWARD -m recent --set --name L --mask 255.255.255.255 --rsource",
      "-A FORWARD -m recent --update --seconds 30 --hitcount 6 --name L --mask 255.255.255.255 --rsource -j DROP",
    ),
    TO_POD,
  ],
  [
    "nobody knows whether it is for the node",
    "",
    ["unknown: whether 10.244.0.7 is a local address of the node; pass --node-address"],
    {},
    { addresses: undefined },
  ],
  [
    "but loopback is",
    "",
    ["node 127.0.0.1 8080 from 127.0.0.1"],
    { ...FROM_NODE, destination: "127.0.0.1" },
    { addresses: undefined },
  ],
];

t.test("ends: translations, connections, routes", async (t) => {
  for (const [name, rules, ends, packet, dump] of OUTCOMES) {
    t.strictSame(printEnds(walk(nodeWith(rules, dump), buildPacket(packet)).outcomes), ends, name);
  }
});

t.test("ends: IPv6", async (t) => {
  const field = nodeWith(
    NAT("-A PREROUTING -p tcp -j DNAT --to-destination [fd00:244::8-fd00:244::9]:80", "-A POSTROUTING -j MASQUERADE"),
    { family: "IPv6" },
  );
  const packet = buildPacket({
    family: "IPv6",
    origin: { kind: "arrives", source: "2001:db8:ee::9" },
    destination: "fd00:96::1",
  });
  t.strictSame(printEnds(walk(field, packet).outcomes), [
    "network fd00:244::8 80 from 2001:db8:a::10 possibly",
    "network fd00:244::9 80 from 2001:db8:a::10 possibly",
  ]);
  const reject = nodeWith(FILTER("-A FORWARD -j REJECT"), { family: "IPv6" });
  const mapped = nodeWith(NAT("-A PREROUTING -j NETMAP --to ::ffff:0:0/96"), { family: "IPv6" });
  t.match(
    printEnds(walk(mapped, packet).outcomes),
    [/^network 0:0:0:0:0:ffff:0:1 8080 /],
    "an address of IPv4 in IPv6",
  );
  t.strictSame(printEnds(walk(reject, packet).outcomes), ["rejected icmp6-port-unreachable"]);
  const redirect = nodeWith(NAT("-A OUTPUT -p tcp -j REDIRECT"), { family: "IPv6" });
  t.strictSame(printEnds(walk(redirect, { ...packet, origin: { kind: "node" } }).outcomes), [
    "node ::1 8080 from 2001:db8:a::10",
  ]);
});
