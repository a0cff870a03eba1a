// Tests parsing matches by name.
import { tryMatches, tryUnknown } from "../../support/rule-cases.ts";

tryMatches([
  ['-m comment --comment "cali:Q2b2iY2M-vmds5iY"', { kind: "comment", text: "cali:Q2b2iY2M-vmds5iY" }],
  ["-m comment --comment -j", { kind: "comment", text: "-j" }],
  ['-m comment --comment ""', { kind: "comment", text: "" }],
  ["-m nfacct --nfacct-name  localhost_nps", { kind: "counter", name: "localhost_nps" }],
  [
    "-m limit --limit 3/min --limit-burst 10",
    { kind: "unevaluated", name: "limit", text: "-m limit --limit 3/min --limit-burst 10" },
  ],
  ['-m u32 --u32 "0x0=0x1"', { kind: "unevaluated", name: "u32", text: '-m u32 --u32 "0x0=0x1"' }],
  ["-m string --string -j --algo bm", { kind: "unevaluated", name: "string", text: "-m string --string -j --algo bm" }],
  ["-m rt --rt-type 0", { kind: "extension-header", header: "rt", text: "-m rt --rt-type 0" }],
  [
    '-m comment --comment one -m mark --mark 0x1 -m comment --comment "the other"',
    { kind: "comment", text: "one" },
    { kind: "mark", value: 1, mask: 0xffff_ffff, not: false },
    { kind: "comment", text: "the other" },
  ],
]);

tryUnknown([
  "-m unclean",
  "-m newer --with option",
  "-m",
  "-m mark x",
  "-m mark !",
  "-m mark ! ! --mark 1",
  "-m mark ! 1",
  "-m comment --comment a b",
]);
