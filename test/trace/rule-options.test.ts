import t from "tap";
import { plainOptions, readRuleOptions, readWordList } from "../../src/trace/rule-options.ts";
import { splitWords } from "../../src/trace/words.ts";

const read = (text: string) => readRuleOptions(splitWords(text));

t.test("options with their values", async (t) => {
  t.strictSame(read('--name a ! --set --match-set S src "--quoted"'), [
    { name: "--name", values: ["a"], not: false },
    { name: "--set", values: [], not: true },
    { name: "--match-set", values: ["S", "src", "--quoted"], not: false },
  ]);
  t.strictSame(read(""), []);
});

t.test("words that belong to no option", async (t) => {
  for (const text of ["a", "a --set", "!", "--set !", "! ! --set", "--set ! a"]) t.equal(read(text), undefined, text);
});

t.test("options of one value each", async (t) => {
  const known = ["--set", "--name"];
  t.same(plainOptions(read("--set --name a") ?? [], known), new Map(Object.entries({ "--set": "", "--name": "a" })));
  for (const text of ["--other", "! --set", "--set --set", "--set a b"]) {
    t.equal(plainOptions(read(text) ?? [], known), undefined, text);
  }
});

t.test("lists of words", async (t) => {
  t.same(readWordList("a,b", ["a", "b", "c"]), new Set(["a", "b"]));
  t.equal(readWordList("a,d", ["a", "b", "c"]), undefined);
  t.equal(readWordList("", ["a"]), undefined);
});
