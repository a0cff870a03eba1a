import t from "tap";
import { readTemplate } from "../../src/backends/template.ts";
import { RuleSyntaxError } from "../../src/errors.ts";

const TEXT = `# nat/KUBE-SEP: one chain for each endpoint
## hairpin: an endpoint that calls itself
-A {chain} -s {address} -m comment --comment "{service}" -j KUBE-MARK-MASQ

## plain: nothing to fill
-A KUBE-MARK-MASQ -j RETURN
## mark: one word twice
-A KUBE-MARK-MASQ -j MARK --set-xmark {mark}/{mark}
`;

const template = readTemplate("nat/KUBE-SEP", TEXT);
const WORDS = { chain: "KUBE-SEP-A", address: "10.0.0.1/32", service: "a/b:c" };

t.test("a filled rule says where it came from and why it is there", async (t) => {
  t.same(template.fill("hairpin", WORDS), {
    line: '-A KUBE-SEP-A -s 10.0.0.1/32 -m comment --comment "a/b:c" -j KUBE-MARK-MASQ',
    origin: { template: "nat/KUBE-SEP", heading: "hairpin", reason: "an endpoint that calls itself" },
  });
  t.equal(template.fill("plain").line, "-A KUBE-MARK-MASQ -j RETURN");
  t.equal(template.fill("mark", { mark: "0x4000" }).line, "-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000");
  t.same(template.headings, ["hairpin", "plain", "mark"]);
});

t.test("words and rule must fit exactly", async (t) => {
  const { chain, address } = WORDS;
  t.throws(() => template.fill("hairpin", { chain, address }), /word \{service\} is missing/);
  t.throws(() => template.fill("hairpin", { ...WORDS, port: "80" }), /a word too many/);
  t.throws(() => template.fill("plain", { port: "80" }), /a word too many/);
  t.throws(() => template.fill("nothing"), /no such heading/);
});

t.test("what does not match a word's grammar never becomes a rule", async (t) => {
  for (const service of ['a/b" -j ACCEPT', "a/b\n-A INPUT -j ACCEPT", "a", "a/b:", "A/b", "a/b c", "-j/x", ""]) {
    t.throws(
      () => template.fill("hairpin", { ...WORDS, service }),
      /cannot stand for \{service\}/,
      JSON.stringify(service),
    );
  }
});

const BAD: readonly [string, string, RegExp][] = [
  ["a rule without a heading", "-A X -j Y\n", /line 1: .*without a heading/],
  ["a second rule under a heading", "## a: b\n-A X -j Y\n-A X -j Z\n", /line 3: .*without a heading/],
  ["a heading without a reason", "## a\n-A X -j Y\n", /line 1: .*"## name: reason"/],
  ["a heading without a rule", "## a: b\n", /heading without a rule/],
  ["a heading used twice", "## a: b\n-A X -j Y\n## a: c\n-A X -j Z\n", /line 3: .*used twice/],
  ["a word nobody knows", "## a: b\n-A {nonsense} -j Y\n", /line 2: .*unknown word \{nonsense\}/],
  ["another language", "COMMIT\n", /line 1: .*neither a heading nor a rule/],
];

t.test("a template that is none is refused with its line", async (t) => {
  for (const [name, text, message] of BAD) {
    try {
      readTemplate("nat/X", text);
      t.fail(name);
    } catch (error) {
      t.ok(error instanceof RuleSyntaxError && message.test(error.message), `${name}: ${error}`);
    }
  }
});
