import t from "tap";
import { readKubeconfigText } from "../../src/source/kubeconfig-text.ts";

t.test("YAML as Go reads it, or JSON", async (t) => {
  t.strictSame(readKubeconfigText("a: yes\nb: 'no'\na: off\n", "f"), { a: false, b: "no" }, "the last of two counts");
  t.strictSame(readKubeconfigText('{"a": "b"}', "f"), { a: "b" });
  t.strictSame(readKubeconfigText("", "f"), null);
});

t.test("what is no YAML is told by its line, without a word of it", async (t) => {
  const cases: Readonly<Record<string, readonly [string, string]>> = {
    "a quote that never ends": ['users:\n  token: "SECRET', "f: is no YAML: line 2, column 17: MISSING_CHAR"],
    "two documents": ["a: SECRET\n---\nb: SECRET\n", "f: is no YAML: line 2, column 1: MULTIPLE_DOCS"],
    "an alias of nothing": ["token: *SECRET\n", "f: is no YAML: an alias means nothing, or there are too many"],
  };
  for (const [name, [text, message]] of Object.entries(cases)) {
    t.throws(() => readKubeconfigText(text, "f"), { name: "InputError", message }, name);
  }
});
