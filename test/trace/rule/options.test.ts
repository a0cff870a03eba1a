// Tests parsing options and their values.
import t from "tap";
import {
  ALL_BITS,
  parseMasked,
  parseNumber,
  parseProtocol,
  parseRange,
  parseRuleOptions,
  parseWordList,
  plainOptions,
} from "../../../src/trace/rule/options.ts";
import { splitWords } from "../../../src/trace/rule/split.ts";

t.test("numbers", async (t) => {
  t.equal(parseNumber("80", 65_535), 80);
  t.equal(parseNumber("0x1F", 65_535), 31);
  t.equal(parseNumber("4294967295", ALL_BITS), ALL_BITS);
  for (const text of ["", "65536", "-1", "1.5", "0x", "0x1ffffffff", "http", " 1"]) {
    t.equal(parseNumber(text, 65_535), undefined, `no number: "${text}"`);
  }
});

t.test("ranges", async (t) => {
  t.same(parseRange("80", ":", 65_535), { from: 80, to: 80 });
  t.same(parseRange("80:90", ":", 65_535), { from: 80, to: 90 });
  t.same(parseRange("80-90", "-", 65_535), { from: 80, to: 90 });
  for (const text of ["90:80", "80:", ":80", "80:90:100", "80-90"]) {
    t.equal(parseRange(text, ":", 65_535), undefined, `no range: "${text}"`);
  }
});

t.test("values with a mask", async (t) => {
  t.same(parseMasked("0x4000/0xf000", ALL_BITS), { value: 0x4000, mask: 0xf000 });
  t.same(parseMasked("7", ALL_BITS), { value: 7, mask: ALL_BITS });
  for (const text of ["", "/1", "1/", "1/2/3", "x/1"]) {
    t.equal(parseMasked(text, ALL_BITS), undefined, `no value: "${text}"`);
  }
});

t.test("protocols by name and by number", async (t) => {
  const numbers: readonly [string, number | undefined][] = [
    ["tcp", 6],
    ["udp", 17],
    ["ipencap", 4],
    ["ipv6-icmp", 58],
    ["icmpv6", 58],
    ["17", 17],
    ["255", 255],
    ["256", undefined],
    ["nonsense", undefined],
  ];
  for (const [text, number] of numbers) t.equal(parseProtocol(text), number, text);
});

const read = (text: string) => parseRuleOptions(splitWords(text));

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
  t.same(parseWordList("a,b", ["a", "b", "c"]), new Set(["a", "b"]));
  t.equal(parseWordList("a,d", ["a", "b", "c"]), undefined);
  t.equal(parseWordList("", ["a"]), undefined);
});
