// Tests splitting rules into words and options.
import t from "tap";
import { RuleSyntaxError } from "../../../src/errors.ts";
import { splitParts, splitWords } from "../../../src/trace/rule/split.ts";

const LINES: readonly [string, string, readonly string[]][] = [
  ["plain words", "-A X -j DROP", ["-A", "X", "-j", "DROP"]],
  ["more than one blank, and tabs", "-A  X\t-j DROP ", ["-A", "X", "-j", "DROP"]],
  ["a quoted comment", '-m comment --comment "a b"', ["-m", "comment", "--comment", "a b"]],
  ["an empty comment", '--comment ""', ["--comment", ""]],
  ["escaped marks and backslashes", String.raw`"it\'s \"so\" \\"`, ['it\'s "so" \\']],
  ["a line end inside of a comment", '"two\nlines"', ["two\nlines"]],
  ["a quotation in the middle of a word", 'a"b c"', ["ab c"]],
  ["a backslash outside of quotation marks is itself", "a\\b", ["a\\b"]],
  ["nothing", "", []],
];

for (const [name, line, words] of LINES) {
  t.test(name, async (t) => {
    t.strictSame(
      splitWords(line).map(({ text }) => text),
      words,
    );
  });
}

t.test("words know where they stand", async (t) => {
  const line = '-A X "a b" c';
  t.strictSame(
    splitWords(line).map(({ start, end }) => line.slice(start, end)),
    ["-A", "X", '"a b"', "c"],
  );
});

t.test("what is quoted, or free text, is no option", async (t) => {
  const bare = (line: string) => splitWords(line).map((word) => word.bare);
  t.strictSame(bare('-j "-j"'), [true, false]);
  t.strictSame(bare("--comment -j --log-prefix ! -j"), [true, false, true, false, true]);
  t.strictSame(bare("--comment --comment --comment x"), [true, false, true, false]);
});

t.test("a quotation that does not end is refused", async (t) => {
  t.throws(() => splitWords('-A X -m comment --comment "open'), RuleSyntaxError);
  t.throws(() => splitWords('-A X -m comment --comment "open\\"'), RuleSyntaxError);
});

t.test("a rule falls into its parts", async (t) => {
  const { chain, parts } = splitParts(
    "-A X ! -s 10.0.0.0/8 -m tcp ! --dport 80 --sport 1 -j REJECT --reject-with tcp-reset",
  );
  t.equal(chain, "X");
  t.strictSame(
    parts.map(({ flag, not, value, words, text }) => [flag, not, value, words.length, text]),
    [
      ["-s", true, "10.0.0.0/8", 0, "! -s 10.0.0.0/8"],
      ["-m", false, "tcp", 5, "-m tcp ! --dport 80 --sport 1"],
      ["-j", false, "REJECT", 2, "-j REJECT --reject-with tcp-reset"],
    ],
  );
});

t.test("long spellings are the short ones", async (t) => {
  const long = "--protocol --source --destination --in-interface --out-interface --fragment --match --jump --goto";
  const { parts } = splitParts(`-A X ${long}`);
  t.strictSame(
    parts.map(({ flag }) => flag),
    ["-p", "-s", "-d", "-i", "-o", "-f", "-m", "-j", "-g"],
  );
});

t.test("what belongs to no option is a part of its own", async (t) => {
  t.match(splitParts("-A X stray words -j DROP").parts, [{ flag: "", text: "stray words" }, { flag: "-j" }]);
  t.match(splitParts("-A X ! stray").parts, [{ flag: "", not: true, text: "! stray" }]);
  t.match(splitParts("-A X !").parts, [{ flag: "", not: true, text: "!" }]);
  t.match(splitParts('-A X "-j" DROP').parts, [{ flag: "", text: '"-j" DROP' }]);
  t.match(splitParts("-A X -j").parts, [{ flag: "-j", value: "", text: "-j" }]);
  t.same(splitParts("-A X").parts, []);
});

for (const line of ["", "-A", "-I X -j DROP", ":X - [0:0]", "-A -t 10.96.1.1:80 -s rr", "-A ! -j DROP"]) {
  t.test(`no rule of a chain: ${line}`, async (t) => {
    t.throws(() => splitParts(line), RuleSyntaxError);
  });
}
