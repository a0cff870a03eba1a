// Tests parsing DNAT, SNAT, MASQUERADE, REDIRECT and NETMAP.
import { tryTargets, tryUnknown } from "../../support/rule-cases.ts";

const span = (from: string, to = from) => ({ from, to });

const FLAGS = { random: false, randomFully: false };

const KEPT = { ...FLAGS, persistent: false };

tryTargets([
  ["-j DNAT --to-destination 10.0.0.1", { kind: "dnat", addresses: span("10.0.0.1"), ...KEPT }],
  [
    "-j DNAT --to-destination 10.0.0.1:80",
    { kind: "dnat", addresses: span("10.0.0.1"), ports: { from: 80, to: 80 }, ...KEPT },
  ],
  [
    "-j DNAT --to-destination 10.0.0.1-10.0.0.9:80-90 --random --persistent",
    {
      kind: "dnat",
      addresses: span("10.0.0.1", "10.0.0.9"),
      ports: { from: 80, to: 90 },
      random: true,
      randomFully: false,
      persistent: true,
    },
  ],
  ["-j DNAT --to-destination :80-90", { kind: "dnat", ports: { from: 80, to: 90 }, ...KEPT }],
  [
    "-j DNAT --to-destination 10.0.0.1:80-90/100",
    { kind: "dnat", addresses: span("10.0.0.1"), ports: { from: 80, to: 90 }, base: 100, ...KEPT },
  ],
  [
    "-j DNAT --to-destination [fd00::1]:8443",
    { kind: "dnat", addresses: span("fd00::1"), ports: { from: 8443, to: 8443 }, ...KEPT },
  ],
  [
    "-j DNAT --to-destination [fd00::1-fd00::5]:80",
    { kind: "dnat", addresses: span("fd00::1", "fd00::5"), ports: { from: 80, to: 80 }, ...KEPT },
  ],
  ["-j DNAT --to-destination [fd00::1]", { kind: "dnat", addresses: span("fd00::1"), ...KEPT }],
  ["-j DNAT --to-destination ::1", { kind: "dnat", addresses: span("::1"), ...KEPT }],
  ["-j DNAT --to-destination fd00::1-fd00::5", { kind: "dnat", addresses: span("fd00::1", "fd00::5"), ...KEPT }],
  [
    "-j SNAT --to-source 192.0.2.10 --random-fully",
    { kind: "snat", addresses: span("192.0.2.10"), random: false, randomFully: true, persistent: false },
  ],
  ["-j SNAT --to-source :53", { kind: "snat", ports: { from: 53, to: 53 }, ...KEPT }],
  ["-j MASQUERADE", { kind: "masquerade", ...FLAGS }],
  ["-j MASQUERADE --random-fully", { kind: "masquerade", random: false, randomFully: true }],
  [
    "-j MASQUERADE --to-ports 1024-2000 --random",
    { kind: "masquerade", ports: { from: 1024, to: 2000 }, random: true, randomFully: false },
  ],
  ["-j REDIRECT --to-ports 15001", { kind: "redirect", ports: { from: 15_001, to: 15_001 }, ...FLAGS }],
  ["-j REDIRECT", { kind: "redirect", ...FLAGS }],
  [
    "-j NETMAP --to 10.0.0.0/24",
    { kind: "netmap", network: { family: "IPv4", address: 0x0a00_0000n, mask: 0xffff_ff00n } },
  ],
]);

tryUnknown([
  "-j DNAT",
  "-j DNAT --to-destination",
  "-j DNAT --to-destination host",
  "-j DNAT --to-destination 10.0.0.1:http",
  "-j DNAT --to-destination 10.0.0.1:",
  "-j DNAT --to-destination 10.0.0.1:80/x",
  "-j DNAT --to-destination 10.0.0.1:80/1/1",
  "-j DNAT --to-destination 10.0.0.1-x",
  "-j DNAT --to-destination 10.0.0.1-fd00::1",
  "-j DNAT --to-destination 10.0.0.1-10.0.0.2-10.0.0.3",
  "-j DNAT --to-destination []:80",
  "-j DNAT --to-destination 10.0.0.1 --to-destination 10.0.0.2",
  "-j DNAT --to-destination 10.0.0.1 --new-option",
  "-j SNAT",
  "-j SNAT --to-source 10.0.0.1 --new-option",
  "-j MASQUERADE --to-ports x",
  "-j MASQUERADE --to-ports",
  "-j REDIRECT --new-option",
  "-j NETMAP",
  "-j NETMAP --to x",
  "-j NETMAP --new-option",
]);
