// Tests parsing tcp, udp, sctp, dccp, multiport and icmp.
import { tryMatches, tryUnknown } from "../../support/rule-cases.ts";

const port = (number: number) => [{ from: number, to: number }];

tryMatches([
  ["-m tcp"],
  ["-m tcp --dport 80", { kind: "ports", side: "destination", ranges: port(80), not: false }],
  ["-m tcp ! --dport 80", { kind: "ports", side: "destination", ranges: port(80), not: true }],
  [
    "-m udp --dport 60000:61000",
    { kind: "ports", side: "destination", ranges: [{ from: 60_000, to: 61_000 }], not: false },
  ],
  ["-m udplite --source-port 1", { kind: "ports", side: "source", ranges: port(1), not: false }],
  [
    "-m udp --sport 67 --dport 68",
    { kind: "ports", side: "source", ranges: port(67), not: false },
    { kind: "ports", side: "destination", ranges: port(68), not: false },
  ],
  ["-m tcp --tcp-flags FIN,SYN,RST,ACK SYN", { kind: "tcp-flags", mask: 0x17, set: 0x02, not: false }],
  ["-m tcp ! --tcp-flags FIN,SYN,RST,ACK SYN", { kind: "tcp-flags", mask: 0x17, set: 0x02, not: true }],
  ["-m tcp --syn", { kind: "tcp-flags", mask: 0x17, set: 0x02, not: false }],
  ["-m tcp --tcp-flags FIN,SYN,RST,PSH,ACK,URG NONE", { kind: "tcp-flags", mask: 0x3f, set: 0, not: false }],
  ["-m tcp --tcp-option 5", { kind: "unevaluated", name: "tcp", text: "-m tcp --tcp-option 5" }],
  [
    "-m sctp --dport 80 --chunk-types any DATA:Be,INIT",
    { kind: "ports", side: "destination", ranges: port(80), not: false },
    { kind: "chunk-types", how: "any", chunks: ["DATA:Be", "INIT"], not: false },
  ],
  ["-m sctp ! --chunk-types all INIT", { kind: "chunk-types", how: "all", chunks: ["INIT"], not: true }],
  ["-m sctp --chunk-types only ALL", { kind: "chunk-types", how: "only", chunks: ["ALL"], not: false }],
  [
    "-m dccp --dport 80 --dccp-types REQUEST",
    { kind: "ports", side: "destination", ranges: port(80), not: false },
    { kind: "unevaluated", name: "dccp", text: "-m dccp --dport 80 --dccp-types REQUEST" },
  ],
  [
    "-m multiport --dports 80,443,1000:2000",
    { kind: "ports", side: "destination", ranges: [...port(80), ...port(443), { from: 1000, to: 2000 }], not: false },
  ],
  ["-m multiport ! --sports 80", { kind: "ports", side: "source", ranges: port(80), not: true }],
  ["-m multiport --ports 80", { kind: "ports", side: "either", ranges: port(80), not: false }],
  ["-m icmp --icmp-type 8", { kind: "icmp", type: 8, not: false }],
  ["-m icmp ! --icmp-type 3/1", { kind: "icmp", type: 3, code: 1, not: true }],
  ["-m icmp --icmp-type any", { kind: "icmp", not: false }],
  ["-m icmp6 --icmpv6-type 135", { kind: "icmp", type: 135, not: false }],
]);

tryUnknown([
  "-m tcp --dport http",
  "-m tcp --dport 65536",
  "-m tcp --dport 90:80",
  "-m tcp --dport 80 81",
  "-m tcp --dport",
  "-m tcp --new-option",
  "-m tcp --syn 1",
  "-m tcp --tcp-flags SYN",
  "-m tcp --tcp-flags SYN,NEW SYN",
  "-m tcp --tcp-flags SYN SYN SYN",
  "-m tcp --tcp-option",
  "-m udp --tcp-flags SYN SYN",
  "-m sctp --chunk-types any",
  "-m sctp --chunk-types some INIT",
  "-m sctp --chunk-types any INIT INIT",
  "-m sctp --other any INIT",
  "-m dccp --dccp-types",
  "-m multiport --dports 80,x",
  "-m multiport --dports",
  "-m multiport --dports 80 81",
  "-m multiport --dport 80",
  "-m icmp --icmp-type echo-request",
  "-m icmp --icmp-type 3/x",
  "-m icmp --icmp-type 3/1/1",
  "-m icmp --icmp-type 8 8",
  "-m icmp --type 8",
]);
