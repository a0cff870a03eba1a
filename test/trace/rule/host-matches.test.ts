// Tests parsing physdev, owner, socket, ipvs, rpfilter, policy and pkttype.
import { tryMatches, tryUnknown } from "../../support/rule-cases.ts";

const TEN = { family: "IPv4", address: 0x0a00_0000n, mask: 0xff00_0000n } as const;

tryMatches([
  [
    "-m physdev --physdev-in eth0 --physdev-is-bridged",
    { kind: "bridge-port", property: "in", name: "eth0", prefix: false, not: false },
    { kind: "bridge-port", property: "is-bridged", not: false },
  ],
  ["-m physdev ! --physdev-out vif+", { kind: "bridge-port", property: "out", name: "vif", prefix: true, not: true }],
  ["-m physdev ! --physdev-is-in", { kind: "bridge-port", property: "is-in", not: true }],
  ["-m physdev --physdev-is-out", { kind: "bridge-port", property: "is-out", not: false }],
  [
    "-m owner --uid-owner 0-100 ! --gid-owner 5",
    { kind: "owner", of: "user", range: { from: 0, to: 100 }, not: false },
    { kind: "owner", of: "group", range: { from: 5, to: 5 }, not: true },
  ],
  ["-m owner ! --socket-exists", { kind: "owner", of: "socket", not: true }],
  [
    "-m owner --gid-owner 5 --suppl-groups",
    { kind: "owner", of: "group", range: { from: 5, to: 5 }, not: false },
    { kind: "unevaluated", name: "owner", text: "--suppl-groups" },
  ],
  ["-m socket", { kind: "socket", transparent: false, wildcard: false, restoreMark: false }],
  [
    "-m socket --transparent --nowildcard --restore-skmark",
    { kind: "socket", transparent: true, wildcard: true, restoreMark: true },
  ],
  [
    "-m rpfilter --validmark --invert",
    { kind: "reverse-path", loose: false, validMark: true, acceptLocal: false, not: true },
  ],
  [
    "-m rpfilter --loose --accept-local",
    { kind: "reverse-path", loose: true, validMark: false, acceptLocal: true, not: false },
  ],
  ["-m policy --dir in --pol none", { kind: "ipsec", direction: "in", policy: "none" }],
  [
    "-m policy --dir out --pol ipsec --mode tunnel",
    { kind: "ipsec", direction: "out", policy: "ipsec" },
    { kind: "unevaluated", name: "policy", text: "-m policy --dir out --pol ipsec --mode tunnel" },
  ],
  ["-m pkttype ! --pkt-type multicast", { kind: "packet-type", type: "multicast", not: true }],
  ["-m ipvs ! --ipvs", { kind: "ipvs", property: { what: "managed" }, not: true }],
  [
    "-m ipvs --vproto 6 --vaddr 10.0.0.0/8 --vport 80 --vdir REPLY --vmethod MASQ --vportctl 21",
    { kind: "ipvs", property: { what: "protocol", protocol: 6 }, not: false },
    { kind: "ipvs", property: { what: "address", network: TEN }, not: false },
    { kind: "ipvs", property: { what: "port", port: 80 }, not: false },
    { kind: "ipvs", property: { what: "direction", direction: "reply" }, not: false },
    { kind: "ipvs", property: { what: "method", method: "MASQ" }, not: false },
    { kind: "ipvs", property: { what: "control-port", port: 21 }, not: false },
  ],
  ["-m ipvs --vdir ORIGINAL", { kind: "ipvs", property: { what: "direction", direction: "original" }, not: false }],
]);

tryUnknown([
  "-m physdev --physdev-in",
  "-m physdev --physdev-is-in x",
  "-m owner --uid-owner root",
  "-m owner --socket-exists x",
  "-m socket --new-option",
  "-m rpfilter ! --loose",
  "-m policy --dir in",
  "-m policy --pol none --dir in",
  "-m policy --dir up --pol none",
  "-m policy --dir in --pol some",
  "-m policy ! --dir in --pol none",
  "-m policy --dir in ! --pol none",
  "-m pkttype --pkt-type any",
  "-m ipvs --ipvs x",
  "-m ipvs --vproto x",
  "-m ipvs --vaddr x",
  "-m ipvs --vport x",
  "-m ipvs --vdir x",
  "-m ipvs --vmethod x",
]);
