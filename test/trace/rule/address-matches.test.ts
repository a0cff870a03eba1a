// Tests parsing addrtype, iprange and set.
import { tryMatches, tryUnknown } from "../../support/rule-cases.ts";

tryMatches([
  [
    "-m addrtype --dst-type LOCAL",
    { kind: "address-type", side: "destination", types: new Set(["LOCAL"]), not: false },
  ],
  [
    "-m addrtype --src-type LOCAL ! --dst-type LOCAL,BROADCAST",
    { kind: "address-type", side: "source", types: new Set(["LOCAL"]), not: false },
    { kind: "address-type", side: "destination", types: new Set(["LOCAL", "BROADCAST"]), not: true },
  ],
  [
    "-m addrtype --dst-type LOCAL --limit-iface-in",
    { kind: "address-type", side: "destination", types: new Set(["LOCAL"]), not: false, only: "in-interface" },
  ],
  [
    "-m addrtype ! --src-type LOCAL --limit-iface-out",
    { kind: "address-type", side: "source", types: new Set(["LOCAL"]), not: true, only: "out-interface" },
  ],
  [
    "-m iprange --src-range 10.0.0.1-10.0.0.9 ! --dst-range 10.1.0.0-10.1.0.255",
    { kind: "address-range", side: "source", family: "IPv4", from: 0x0a00_0001n, to: 0x0a00_0009n, not: false },
    { kind: "address-range", side: "destination", family: "IPv4", from: 0x0a01_0000n, to: 0x0a01_00ffn, not: true },
  ],
  [
    "-m iprange --src-range ::1",
    { kind: "address-range", side: "source", family: "IPv6", from: 1n, to: 1n, not: false },
  ],
  ["-m set --match-set S src", { kind: "set", name: "S", sides: ["source"], returnNomatch: false, not: false }],
  [
    "-m set ! --match-set S dst,dst,src ! --update-counters ! --update-subcounters",
    { kind: "set", name: "S", sides: ["destination", "destination", "source"], returnNomatch: false, not: true },
  ],
  [
    "-m set --match-set S src --return-nomatch",
    { kind: "set", name: "S", sides: ["source"], returnNomatch: true, not: false },
  ],
  [
    "-m set --match-set S src --packets-gt 5 ! --bytes-eq 3",
    { kind: "set", name: "S", sides: ["source"], returnNomatch: false, not: false },
    { kind: "unevaluated", name: "set", text: "-m set --match-set S src --packets-gt 5 ! --bytes-eq 3" },
  ],
]);

tryUnknown([
  "-m addrtype --dst-type REMOTE",
  "-m addrtype --dst-type",
  "-m addrtype --dst-type LOCAL LOCAL",
  "-m addrtype --type LOCAL",
  "-m addrtype --dst-type LOCAL ! --limit-iface-in",
  "-m addrtype --dst-type LOCAL --limit-iface-in x",
  "-m addrtype --dst-type LOCAL --limit-iface-in --limit-iface-out",
  "-m iprange --src-range 10.0.0.1-x",
  "-m iprange --src-range x",
  "-m iprange --src-range 10.0.0.1-::1",
  "-m iprange --src-range 10.0.0.1-10.0.0.2-10.0.0.3",
  "-m set --match-set S",
  "-m set --match-set S middle",
  "-m set --match-set",
  "-m set --set S src",
  "-m set",
  "-m set --match-set S src --new-option",
  "-m set --match-set S src ! --return-nomatch",
  "-m set --match-set S src --return-nomatch x",
  "-m set --match-set S src --packets-gt",
  "-m set --match-set S src ! --update-counters x",
]);
