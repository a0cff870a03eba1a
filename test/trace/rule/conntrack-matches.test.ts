// Tests parsing conntrack and state.
import type { Network } from "../../../src/trace/rule/network.ts";
import { tryMatches, tryUnknown } from "../../support/rule-cases.ts";

const TEN: Network = { family: "IPv4", address: 0x0a00_0000n, mask: 0xff00_0000n };

const ONE: Network = { family: "IPv4", address: 0x0a01_0101n, mask: 0xffff_ffffn };

tryMatches([
  ["-m conntrack --ctstate NEW", { kind: "conntrack-state", states: new Set(["NEW"]), not: false }],
  [
    "-m conntrack ! --ctstate INVALID,UNTRACKED,SNAT,DNAT",
    { kind: "conntrack-state", states: new Set(["INVALID", "UNTRACKED", "SNAT", "DNAT"]), not: true },
  ],
  [
    "-m state --state RELATED,ESTABLISHED",
    { kind: "conntrack-state", states: new Set(["RELATED", "ESTABLISHED"]), not: false },
  ],
  ["-m conntrack --ctproto 6", { kind: "conntrack-protocol", protocol: 6, not: false }],
  [
    "-m conntrack --ctorigsrc 10.0.0.0/8 ! --ctorigdst 10.1.1.1",
    { kind: "conntrack-address", direction: "original", side: "source", network: TEN, not: false },
    { kind: "conntrack-address", direction: "original", side: "destination", network: ONE, not: true },
  ],
  [
    "-m conntrack --ctreplsrc 10.0.0.0/8 --ctrepldst 10.1.1.1",
    { kind: "conntrack-address", direction: "reply", side: "source", network: TEN, not: false },
    { kind: "conntrack-address", direction: "reply", side: "destination", network: ONE, not: false },
  ],
  [
    "-m conntrack --ctorigsrcport 80 --ctorigdstport 90:100",
    { kind: "conntrack-port", direction: "original", side: "source", range: { from: 80, to: 80 }, not: false },
    { kind: "conntrack-port", direction: "original", side: "destination", range: { from: 90, to: 100 }, not: false },
  ],
  [
    "-m conntrack ! --ctreplsrcport 1 --ctrepldstport 5",
    { kind: "conntrack-port", direction: "reply", side: "source", range: { from: 1, to: 1 }, not: true },
    { kind: "conntrack-port", direction: "reply", side: "destination", range: { from: 5, to: 5 }, not: false },
  ],
  [
    "-m conntrack --ctstatus EXPECTED,CONFIRMED",
    { kind: "conntrack-status", statuses: new Set(["EXPECTED", "CONFIRMED"]), not: false },
  ],
  ["-m conntrack --ctdir ORIGINAL", { kind: "conntrack-direction", direction: "original" }],
  ["-m conntrack --ctdir REPLY", { kind: "conntrack-direction", direction: "reply" }],
  ["-m conntrack --ctexpire 10:20", { kind: "unevaluated", name: "conntrack", text: "--ctexpire 10:20" }],
  ["-m conntrack ! --ctexpire 5", { kind: "unevaluated", name: "conntrack", text: "! --ctexpire 5" }],
]);

tryUnknown([
  "-m conntrack --ctstate NEW,OLD",
  "-m conntrack --ctstate",
  "-m conntrack --ctstatus LOST",
  "-m conntrack --ctproto x",
  "-m conntrack --ctdir BOTH",
  "-m conntrack ! --ctdir REPLY",
  "-m conntrack --ctorigsrc host",
  "-m conntrack --ctorigsrcport http",
  "-m conntrack --ctzone 1",
  "-m state --ctstate NEW",
]);
