// What are the chains of an index called, and which packets do they take?
import t from "tap";
import { fillFrom, readTemplates } from "../../../src/backends/fill.ts";
import { addressIndex, portIndex } from "../../../src/backends/indexed/indexes.ts";
import { INDEXED_TEMPLATES } from "../../support/templates.ts";

const fill = fillFrom(readTemplates(INDEXED_TEMPLATES));
const v4 = addressIndex({ fill, table: "nat", letter: "S" }, "IPv4");
const v6 = addressIndex({ fill, table: "filter", letter: "E" }, "IPv6");
const ports = portIndex({ fill, table: "nat", letter: "N" });

t.test("the key of a rule is its destination address, or its protocol and port", async (t) => {
  const rule = (line: string) => ({ line });
  t.equal(v4.keyOf(rule("-A KUBE-SERVICES -d 10.96.0.1/32 -p tcp -m tcp --dport 80 -j X")), "01230000001");
  t.equal(v6.keyOf(rule("-A KUBE-SERVICES -d ::1/128 -p tcp -m tcp --dport 80 -j X")), `${"0".repeat(42)}1`);
  for (const [line, key] of [
    ["-p tcp -m tcp --dport 0", "0000000"],
    ["-p tcp -m tcp --dport 65535", "0177777"],
    ["-p udp -m udp --dport 31000", "1074430"],
    ["-p sctp -m sctp --dport 1", "2000001"],
  ] as const) {
    t.equal(ports.keyOf(rule(`-A KUBE-NODEPORTS ${line} -j X`)), key, line);
  }
  t.throws(() => v4.keyOf(rule("-A KUBE-SERVICES -j X")), new RangeError("no key in -A KUBE-SERVICES -j X"));
  t.throws(() => ports.keyOf(rule("-A KUBE-NODEPORTS -p tcp -j X")), RangeError);
});

t.test("ways lead to ranges of addresses, and back to the root or beyond", async (t) => {
  for (const [index, place, back, line] of [
    [v4, "0", "root", "-A FROM -d 0.0.0.0/2 -j KUBE-IX-S-0.0.0.0-2"],
    [v4, "01230", "beyond", "-A FROM -d 10.96.0.0/14 -g KUBE-IX-S-10.96.0.0-14"],
    [v4, "37777777777", "beyond", "-A FROM -d 255.255.255.255/32 -g KUBE-IX-S-255.255.255.255-32"],
  ] as const) {
    t.equal(index.wayTo("KUBE-FROM", place, back).line, line.replace("FROM", "KUBE-FROM"));
  }
  const { line } = v6.wayTo("KUBE-FROM", "3750", "root");
  t.match(line, /^-A KUBE-FROM -d fd00::\/11 -j KUBE-IX-E-[A-Z2-7]{16}$/);
  t.ok(line.endsWith(v6.chainOf("3750")));
  t.not(
    v6.chainOf("3750"),
    v6.chainOf("37500"),
    "a range within has another name, though it begins with the same address",
  );
});

t.test("ways lead to ranges of ports, or to a protocol as a whole", async (t) => {
  for (const [place, back, line] of [
    ["0", "root", "-p tcp -j KUBE-IX-N-TCP"],
    ["10", "root", "-p udp -m udp --dport 0:32767 -j KUBE-IX-N-UDP-0-32767"],
    ["21", "beyond", "-p sctp -m sctp --dport 32768:65535 -g KUBE-IX-N-SCTP-32768-65535"],
    ["0177777", "beyond", "-p tcp -m tcp --dport 65535 -g KUBE-IX-N-TCP-65535-65535"],
    ["0000000", "root", "-p tcp -m tcp --dport 0 -j KUBE-IX-N-TCP-0-0"],
  ] as const) {
    t.equal(ports.wayTo("KUBE-FROM", place, back).line, `-A KUBE-FROM ${line}`);
  }
});

t.test("no name is longer than a chain's may be", async (t) => {
  const names = [
    v4.chainOf("37777777777"),
    v6.chainOf("3".padEnd(43, "7")),
    ports.chainOf("21"),
    ports.chainOf("2177777"),
  ];
  for (const name of names) t.ok(name.length <= 28, name);
});
