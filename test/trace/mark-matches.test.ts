import { tryMatches, tryUnknown } from "../support/rule-cases.ts";

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
