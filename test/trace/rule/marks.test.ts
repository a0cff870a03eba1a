// Tests parsing matches and targets of marks.
import { tryMatches, tryTargets, tryUnknown } from "../../support/rule-cases.ts";

tryMatches([
  ["-m mark --mark 0x4000/0x4000", { kind: "mark", value: 0x4000, mask: 0x4000, not: false }],
  ["-m mark ! --mark 0x7", { kind: "mark", value: 7, mask: 0xffff_ffff, not: true }],
  ["-m mark --mark 0x80000000/0x80000000", { kind: "mark", value: 0x8000_0000, mask: 0x8000_0000, not: false }],
  ["-m connmark ! --mark 0x80/0x80", { kind: "connmark", value: 0x80, mask: 0x80, not: true }],
  ["-m tos --tos 0x10/0x3f", { kind: "tos", value: 0x10, mask: 0x3f, not: false }],
  ["-m tos ! --tos 0x10/0xff", { kind: "tos", value: 0x10, mask: 0xff, not: true }],
  ["-m dscp --dscp 0x0a", { kind: "tos", value: 0x28, mask: 0xfc, not: false }],
]);

tryUnknown([
  "-m mark --mark x",
  "-m connmark --mark 1/x",
  "-m tos --tos 0x100",
  "-m dscp --dscp 0x40",
  "-m mark --mask 1",
]);

const ALL = 0xffff_ffff;

tryTargets([
  ["-j MARK --set-xmark 0x4000/0x4000", { kind: "mark", clear: 0x4000, xor: 0x4000 }],
  ["-j MARK --set-xmark 0x4000/0x0", { kind: "mark", clear: 0, xor: 0x4000 }],
  ["-j MARK --set-mark 0x5", { kind: "mark", clear: ALL, xor: 5 }],
  ["-j MARK --set-mark 0x80000005/0xf0", { kind: "mark", clear: 0x8000_00f5, xor: 0x8000_0005 }],
  ["-j MARK --and-mark 0xff", { kind: "mark", clear: 0xffff_ff00, xor: 0 }],
  ["-j MARK --or-mark 0xff", { kind: "mark", clear: 0xff, xor: 0xff }],
  ["-j MARK --xor-mark 0xff", { kind: "mark", clear: 0, xor: 0xff }],
  ["-j CONNMARK --set-xmark 0x80/0x80", { kind: "connmark", clear: 0x80, xor: 0x80 }],
  ["-j CONNMARK --save-mark", { kind: "save-mark", packetMask: ALL, connectionMask: ALL }],
  ["-j CONNMARK --save-mark --mask 0xf", { kind: "save-mark", packetMask: 0xf, connectionMask: 0xf }],
  [
    "-j CONNMARK --restore-mark --nfmask 0xf --ctmask 0xff",
    { kind: "restore-mark", packetMask: 0xf, connectionMask: 0xff },
  ],
  ["-j TOS --set-tos 0x10/0x3f", { kind: "tos", clear: 0x3f, xor: 0x10 }],
  ["-j DSCP --set-dscp 0x0a", { kind: "tos", clear: 0xfc, xor: 0x28 }],
]);

tryUnknown([
  "-j MARK",
  "-j MARK --set-mark",
  "-j MARK --set-mark x",
  "-j MARK --and-mark x",
  "-j MARK --new-mark 1",
  "-j MARK --set-mark 1 2",
  "-j MARK --set-mark 1 --or-mark 2",
  "-j MARK ! --set-mark 1",
  "-j MARK --save-mark",
  "-j CONNMARK",
  "-j CONNMARK --mask 1",
  "-j CONNMARK --save-mark 1",
  "-j CONNMARK --save-mark --restore-mark",
  "-j CONNMARK --save-mark --mask x",
  "-j CONNMARK --save-mark --ctmask x",
  "-j CONNMARK --set-xmark 0x5/0xf0 --left-shift-mark 3",
  "-j TOS",
  "-j TOS --and-tos 1",
  "-j DSCP",
  "-j DSCP --set-dscp-class AF11",
]);
