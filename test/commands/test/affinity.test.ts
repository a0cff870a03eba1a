// Tests packet cases about session affinity.
import t from "tap";
import { affinitySeconds } from "../../../src/commands/test/check-outcomes.ts";
import { rulesetOfDump } from "../../../src/trace/ruleset.ts";
import { walk } from "../../../src/trace/walk/hooks.ts";

const REMEMBER = [
  "-A ONE -m recent --set --name one --mask 255.255.255.255 --rsource -j DNAT --to-destination 10.1.0.1:80",
  "-A TWO -m recent --set --name two --mask 255.255.255.255 --rsource -j DNAT --to-destination 10.1.0.2:80",
];

const CHOOSE = ["-A PREROUTING -m statistic --mode random --probability 0.50000000000 -j ONE", "-A PREROUTING -j TWO"];

const recall = (list: string, options: string, chain = list) =>
  `-A PREROUTING -m recent --rcheck ${options}--name ${list} --mask 255.255.255.255 --rsource -j ${chain.toUpperCase()}`;

const CASES: readonly [name: string, rules: readonly string[], seconds: readonly number[]][] = [
  ["nobody remembers", [...CHOOSE, ...REMEMBER.map((rule) => rule.replace(/-m recent .*--rsource /, ""))], [0, 0]],
  ["remembered, and never asked", [...CHOOSE, ...REMEMBER], [0, 0]],
  ["asked of one list alone", [recall("one", "--seconds 60 --reap "), ...CHOOSE, ...REMEMBER], [60, 0]],
  [
    "for unlike times",
    [recall("one", "--seconds 60 --reap "), recall("two", "--seconds 5 "), ...CHOOSE, ...REMEMBER],
    [60, 5],
  ],
  ["for ever", [recall("one", ""), recall("two", ""), ...CHOOSE, ...REMEMBER], [Infinity, Infinity]],
  [
    "led to another",
    [recall("one", "--seconds 60 ", "two"), recall("two", "--seconds 9 "), ...CHOOSE, ...REMEMBER],
    [0, 9],
  ],
];

for (const [name, rules, seconds] of CASES) {
  t.test(name, async (t) => {
    const tables = `*nat\n:PREROUTING ACCEPT [0:0]\n:ONE - [0:0]\n:TWO - [0:0]\n${rules.join("\n")}\nCOMMIT\n`;
    const field = rulesetOfDump({ family: "IPv4", tables, addresses: [{ interface: "eth0", address: "192.0.2.1" }] });
    const origin = { kind: "arrives", source: "198.51.100.1" } as const;
    const trace = walk(field, { family: "IPv4", protocol: 6, origin, destination: "10.0.0.1", destinationPort: 80 });
    t.strictSame(
      trace.outcomes.map((end) => affinitySeconds(field, trace, end)),
      seconds,
    );
  });
}

t.test("what is dropped when it comes again", async (t) => {
  const tables = [
    "*nat",
    ":PREROUTING ACCEPT [0:0]",
    "-A PREROUTING -m recent --rcheck --seconds 60 --name one --mask 255.255.255.255 --rsource -j DROP",
    "-A PREROUTING -m recent --set --name one --mask 255.255.255.255 --rsource -j DNAT --to-destination 10.1.0.1:80",
    "COMMIT\n",
  ].join("\n");
  const field = rulesetOfDump({ family: "IPv4", tables, addresses: [{ interface: "eth0", address: "192.0.2.1" }] });
  const origin = { kind: "arrives", source: "198.51.100.1" } as const;
  const trace = walk(field, { family: "IPv4", protocol: 6, origin, destination: "10.0.0.1", destinationPort: 80 });
  const [end] = trace.outcomes;
  t.equal(end && affinitySeconds(field, trace, end), 0);
});
