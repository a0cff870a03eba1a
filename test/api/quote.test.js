import t from "tap";
import { escapeForeign, quote } from "../../src/api/quote.js";
const CASES = [
    ["web", '"web"'],
    ['a" -j ACCEPT', '"a\\" -j ACCEPT"'],
    ["two\nlines", '"two\\nlines"'],
    ["\u001b[31mred\u009b\u2028", '"\\u001b[31mred\\u009b\\u2028"'],
    ["caf\u00e9", '"caf\\u00e9"'],
    ["x".repeat(60), `"${"x".repeat(60)}"`],
    ["x".repeat(61), `"${"x".repeat(60)}..."`],
    [undefined, "undefined"],
    [null, "null"],
    [80, "80"],
    [false, "false"],
    [["web"], "a list"],
    [{ name: "web" }, "an object"],
];
for (const [value, shown] of CASES) {
    t.test(`a message shows ${shown}`, (t) => {
        t.equal(quote(value), shown);
        t.end();
    });
}
t.test("the words of another program stay on one line", (t) => {
    t.equal(escapeForeign('Unexpected "\n\u0007"'), 'Unexpected "\\u000a\\u0007"');
    t.end();
});
