// Tests parsing whole rules.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import t from "tap";
import { RuleSyntaxError } from "../../../src/errors.ts";
import { parseTables } from "../../../src/state/iptables-parse.ts";
import { type ParsedRule, parseRule } from "../../../src/trace/rule/rule.ts";
import { FIXTURES } from "../../support/golden.ts";
import { takeSeed } from "../../support/seed.ts";

const NET = { family: "IPv4", address: 0x0a00_0000n, mask: 0xff00_0000n } as const;

const BARE = { chain: "X", matches: [], target: { kind: "none" } } as const;

const RULES: readonly [string, string, ParsedRule][] = [
  ["a rule that only counts", "-A X", BARE],
  ["a source", "-A X -s 10.0.0.0/8", { ...BARE, source: { ...NET, not: false } }],
  ["any other destination", "-A X ! -d 10.0.0.0/8", { ...BARE, destination: { ...NET, not: true } }],
  ["an interface", "-A X -i cni0", { ...BARE, inInterface: { name: "cni0", prefix: false, not: false } }],
  [
    "no interface that begins so",
    "-A X ! -o veth+",
    { ...BARE, outInterface: { name: "veth", prefix: true, not: true } },
  ],
  ["no interface at all", "-A X ! -o +", { ...BARE, outInterface: { name: "", prefix: true, not: true } }],
  ["a protocol", "-A X -p sctp", { ...BARE, protocol: { number: 132, not: false } }],
  ["a protocol by number", "-A X ! -p 99", { ...BARE, protocol: { number: 99, not: true } }],
  ["every protocol", "-A X -p all", { ...BARE, protocol: { number: "all", not: false } }],
  ["every protocol by number", "-A X -p 0", { ...BARE, protocol: { number: "all", not: false } }],
  ["fragments", "-A X -f", { ...BARE, fragment: { not: false } }],
  ["no fragments", "-A X ! -f", { ...BARE, fragment: { not: true } }],
  [
    "a jump for a node port",
    '-A KUBE-NODEPORTS -d 10.0.0.0/8 -p tcp -m comment --comment "shop/web:http" -m tcp --dport 31080 -j KUBE-EXT-X',
    {
      chain: "KUBE-NODEPORTS",
      destination: { ...NET, not: false },
      protocol: { number: 6, not: false },
      matches: [
        { kind: "comment", text: "shop/web:http" },
        { kind: "ports", side: "destination", ranges: [{ from: 31_080, to: 31_080 }], not: false },
      ],
      target: { kind: "jump", chain: "KUBE-EXT-X" },
    },
  ],
];

for (const [name, line, rule] of RULES) {
  t.test(name, async (t) => {
    t.strictSame(parseRule(line), rule);
  });
}

const STRANGE = [
  "-p nonsense",
  "-p tcp tcp",
  "-s host",
  "-s 10.0.0.0/8,11.0.0.0/8",
  "-d",
  "-i",
  "-o",
  "-i a b",
  "-f x",
  "! -m tcp",
  "! -j DROP",
  "--new-option",
  "stray",
];

for (const text of STRANGE) {
  t.test(`what is not understood is shown: ${text}`, async (t) => {
    t.strictSame(parseRule(`-A X ${text}`), { ...BARE, matches: [{ kind: "unknown", text }] });
  });
}

t.test("nothing is asked twice, and there is one target", async (t) => {
  for (const part of ["-p tcp", "-s 10.0.0.1", "-d 10.0.0.1", "-i eth0", "-o eth0", "-f", "-j DROP", "-g Y"]) {
    t.strictSame(parseRule(`-A X ${part} ${part}`).matches, [{ kind: "unknown", text: part }], part);
  }
});

t.test("a rule ends where its part does, whatever comes behind", async (t) => {
  t.match(parseRule("-A X -j DNAT --to-destination 10.0.0.1 -m mark --mark 0x1"), {
    matches: [{ kind: "mark" }],
    target: { kind: "dnat" },
  });
});

const DUMPS = readdirSync(join(FIXTURES, "dumps")).filter((name) => name.endsWith(".save"));

for (const name of DUMPS) {
  t.test(`every rule of ${name} is understood`, async (t) => {
    const lines = rulesOf(readFileSync(join(FIXTURES, "dumps", name), "utf8"));
    t.ok(lines.length > 5);
    t.strictSame(lines.filter(isStrange), []);
  });
}

t.test("every rule that we write is understood, and every one that a tool prints of it", async (t) => {
  const paths = readdirSync(FIXTURES, { recursive: true, encoding: "utf8" });
  const golden = paths.filter((path) => /^clusters\/.*\.rules$/.test(path));
  const recorded = paths.filter((path) => /^kernel\/.*\.v[46]$/.test(path));
  t.ok(golden.length > 100 && recorded.length > 10);
  const texts = [...golden, ...recorded].map((path) => readFileSync(join(FIXTURES, path), "utf8"));
  const lines = new Set(texts.flatMap((text) => text.split("\n")).filter((line) => /^-A \w/.test(line)));
  t.strictSame([...lines].filter(isStrange), []);
});

t.test("any text is read, or refused as what it is", async (t) => {
  const words = [...new Set(DUMPS.flatMap((name) => readFileSync(join(FIXTURES, "dumps", name), "utf8").split(/\s+/)))];
  const line = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: "binary" }).map((text) => `-A X ${text}`),
    fc
      .array(fc.oneof(fc.constantFrom(...words, "!", '"', "-m", "-j"), fc.string()), { maxLength: 20 })
      .map((text) => `-A X ${text.join(" ")}`),
  );
  const property = fc.property(line, (text) => {
    try {
      return parseRule(text).chain !== "";
    } catch (error) {
      return error instanceof RuleSyntaxError;
    }
  });
  const seed = takeSeed();
  t.doesNotThrow(() => fc.assert(property, { seed, numRuns: 5000 }));
});

function rulesOf(text: string): readonly string[] {
  return [...parseTables(text).values()]
    .flatMap((chains) => [...chains.values()])
    .flatMap(({ rules }) => rules.map(({ line }) => line));
}

function isStrange(line: string): boolean {
  const { matches, target } = parseRule(line);
  return target.kind === "unknown" || matches.some(({ kind }) => kind === "unknown");
}
