import t from "tap";
import { goQuote } from "../../src/sync/go-quote.ts";

/** Text, and what Go's strconv.Quote makes of it. */
const QUOTED: readonly (readonly [name: string, text: string, quoted: string])[] = [
  ["plain words", "hello world", '"hello world"'],
  ["nothing", "", '""'],
  ["quotes and backslashes", 'a "b" \\c', '"a \\"b\\" \\\\c"'],
  ["letters for control characters", "\x07\b\f\n\r\t\v", '"\\a\\b\\f\\n\\r\\t\\v"'],
  ["other control characters", "\x00\x1b[31m\x7f", '"\\x00\\x1b[31m\\x7f"'],
  ["no HTML escapes", "<&>", '"<&>"'],
  ["printable letters of any script", "Käse 日本 ☺ 😀", '"Käse 日本 ☺ 😀"'],
  ["blanks other than the usual one", "a\u00a0b\u2003c", '"a\\u00a0b\\u2003c"'],
  ["what turns the direction of text", "a\u202eb", '"a\\u202eb"'],
  ["beyond the first plane, not printable", "\u{e0001}", '"\\U000e0001"'],
  ["half a pair", "a\ud800b", '"a\\ufffdb"'],
  ["the replacement character itself", "\ufffd", '"\ufffd"'],
];
for (const [name, text, quoted] of QUOTED) t.test(name, async (t) => t.equal(goQuote(text), quoted));
