import t from "tap";
import { hideDashes, showDash } from "../../src/cli/dash-values.ts";

t.test("a dash behind a flag that reads a file is its value, any other is a path", async (t) => {
  const shown = (...args: readonly string[]) => hideDashes(args).map(showDash);
  t.strictSame(shown("diff", "-", "--against", "-", "x"), ["diff", "-", "--against=-", "x"]);
  t.strictSame(shown("diff", "--against", "x", "-"), ["diff", "--against", "x", "-"]);
  t.strictSame(shown("trace", "--rules", "-"), ["trace", "--rules=-"]);
  t.strictSame(shown("diff", "--against"), ["diff", "--against"]);
  t.strictSame(shown("-"), ["-"]);
  t.notOk(hideDashes(["diff", "-"]).includes("-"), "yargs would drop it");
});
