// Is a file of packet cases understood, and what is said of one that is not?
import t from "tap";
import { readCaseFile } from "../../src/source/packet-cases.ts";

const WHOLE = `manifests: [shop.yaml]
node: worker-a
modes: [ipvs]
cases:
- name: all that can be said
  from: pod/shop/front-0
  to: service/shop/web:http
  in: cni0
  modes: [iptables, ipvs]
  reaches: [10.244.01.7:8080, "[fd00:0::7]:8080"]
  probability: {10.244.1.7:8080: 1/4, "[fd00::7]:8080": 0.75}
  masqueraded: false
  affinity: 600
- {name: dropped, from: node, to: "node:1", dropped: true}
- {name: rejected, from: node, to: "node:1", rejected: true}
- name: none
  from: node
  to: node:1
  none: true
  masqueraded: false
`;

t.test("every field", async (t) => {
  const read = readCaseFile(WHOLE, "cases.yaml");
  if (!("cases" in read)) throw new Error(String(read));
  t.strictSame([read.manifests, read.node, read.modes], [["shop.yaml"], "worker-a", ["ipvs"]]);
  const [all, dropped, rejected, none] = read.cases;
  t.same(all, {
    name: "all that can be said",
    line: 5,
    from: { text: "pod/shop/front-0", line: 6, field: "cases[0].from" },
    to: { text: "service/shop/web:http", line: 7, field: "cases[0].to" },
    in: "cni0",
    modes: ["iptables", "ipvs"],
    expected: {
      kind: "reaches",
      endpoints: ["10.244.1.7:8080", "[fd00::7]:8080"],
      probability: new Map([
        ["10.244.1.7:8080", { text: "1/4", value: 0.25, tolerance: 1e-6 }],
        ["[fd00::7]:8080", { text: "0.75", value: 0.75, tolerance: 0.005 }],
      ]),
      masqueraded: false,
      affinity: 600,
    },
  });
  t.strictSame(dropped?.expected, { kind: "dropped" });
  t.strictSame(rejected?.expected, { kind: "rejected" });
  t.strictSame(none?.expected, { kind: "none", masqueraded: false });
  t.strictSame([dropped?.line, rejected?.line, none?.line, none?.to.line], [14, 15, 16, 18]);
});

const CASE = "cases:\n- name: a\n  from: node\n  to: node:1\n";

const BAD: readonly [name: string, text: string, problems: readonly string[]][] = [
  ["empty", "", ["c.yaml: is empty"]],
  ["two documents", "a: 1\n---\nb: 2\n", ["c.yaml: holds more than one document"]],
  ["no YAML", "cases:\n- name: 'a\n", ["c.yaml:3: Missing closing 'quote"]],
  ["a list", "- name: a\n", ["c.yaml:1: must be an object, not a list"]],
  ["no cases", "node: a\n", ["c.yaml:1: cases: is missing, must be a list"]],
  ["an empty list", "cases: []\n", ["c.yaml:1: cases: must not be empty"]],
  ["no end", CASE, ["c.yaml:2: cases[0]: must have exactly one of reaches, dropped, rejected, unreachable, none"]],
  ["two ends", `${CASE}  none: true\n  dropped: true\n`, ["c.yaml:2: cases[0]: must have exactly one of"]],
  ["an end that is not", `${CASE}  dropped: false\n`, ["c.yaml:5: cases[0].dropped: must be true"]],
  [
    "a field that is none",
    `${CASE}  none: true\n  reachs: []\n`,
    ["c.yaml:6: cases[0].reachs: there is no such field"],
  ],
  ["a strange field", `${CASE}  none: true\n  "a b": 1\n`, ['c.yaml:6: cases[0]["a b"]: there is no such field']],
  [
    "no name",
    "cases:\n- from: node\n  to: node:1\n  none: true\n",
    ["c.yaml:2: cases[0].name: is missing, must be a string"],
  ],
  [
    "a mode that is none",
    `${CASE}  none: true\n  modes: [nftables]\n`,
    ["c.yaml:6: cases[0].modes[0]: must be iptables or ipvs"],
  ],
  ["no endpoint", `${CASE}  reaches: [10.0.0.1]\n`, ['c.yaml:5: cases[0].reaches[0]: "10.0.0.1" is not ADDRESS:PORT']],
  ["a port too high", `${CASE}  reaches: ["10.0.0.1:65536"]\n`, ["c.yaml:5: cases[0].reaches[0]: "]],
  [
    "masquerade of what is dropped",
    `${CASE}  dropped: true\n  masqueraded: true\n`,
    ["c.yaml:6: cases[0].masqueraded: goes with"],
  ],
  [
    "affinity of what is dropped",
    `${CASE}  dropped: true\n  affinity: true\n`,
    ["c.yaml:6: cases[0].affinity: goes with"],
  ],
  [
    "no affinity in seconds",
    `${CASE}  reaches: ["10.0.0.1:1"]\n  affinity: 0\n`,
    ["c.yaml:6: cases[0].affinity: must be above 0"],
  ],
  ["affinity in words", `${CASE}  reaches: ["10.0.0.1:1"]\n  affinity: long\n`, ["c.yaml:6: cases[0].affinity: "]],
  [
    "probability that is none",
    `${CASE}  reaches: ["10.0.0.1:1"]\n  probability: {"10.0.0.1:1": 2}\n`,
    ['c.yaml:6: cases[0].probability["10.0.0.1:1"]: 2 is no probability: write 1/3, 33.3 % or 0.333'],
  ],
  [
    "probability of others",
    `${CASE}  reaches: ["10.0.0.1:1"]\n  probability: {"10.0.0.2:1": 1}\n`,
    [
      "c.yaml:6: cases[0].probability: says nothing of 10.0.0.1:1",
      "c.yaml:6: cases[0].probability: names 10.0.0.2:1, which reaches does not",
    ],
  ],
  [
    "probability of nothing",
    `${CASE}  dropped: true\n  probability: {"10.0.0.2:1": 1}\n`,
    ["c.yaml:6: cases[0].probability: names 10.0.0.2:1, which reaches does not"],
  ],
];

for (const [name, text, problems] of BAD) {
  t.test(name, async (t) => {
    const read = readCaseFile(text, "c.yaml");
    const messages = "cases" in read ? [] : read.map(({ message }) => message);
    t.equal(messages.length, problems.length, messages.join("\n"));
    for (const [index, problem] of problems.entries()) {
      t.ok(messages[index]?.startsWith(problem), `${index}: ${messages[index]}`);
    }
  });
}
