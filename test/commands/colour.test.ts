import { PassThrough } from "node:stream";
import t from "tap";
import { isColourWelcome, paintLines } from "../../src/commands/colour.ts";

const stderr = new PassThrough();
const terminal = { streams: { stdout: Object.assign(new PassThrough(), { isTTY: true }), stderr } };
const pipe = { streams: { stdout: new PassThrough(), stderr } };

t.test("only a terminal has colours, and only when nobody said no", async (t) => {
  t.equal(isColourWelcome(terminal, false, {}), true);
  t.equal(isColourWelcome(terminal, false, { NO_COLOR: "" }), true, "an empty word says nothing");
  t.equal(isColourWelcome(terminal, false, { NO_COLOR: "0" }), false);
  t.equal(isColourWelcome(terminal, true, {}), false);
  t.equal(isColourWelcome(pipe, false, {}), false);
  t.equal(isColourWelcome(pipe, false), false);
});

t.test("a line has the colour of its sign", async (t) => {
  const lines = ["+ a", "- b", "nat X"];
  t.strictSame([...paintLines(lines, false)], lines);
  t.strictSame([...paintLines(lines, true)], ["\u001b[32m+ a\u001b[0m", "\u001b[31m- b\u001b[0m", "nat X"]);
});
