import t from "tap";
import { RuleSyntaxError } from "../../src/errors.ts";
import { splitWords } from "../../src/trace/words.ts";

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
