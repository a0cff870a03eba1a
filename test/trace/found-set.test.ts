import t from "tap";
import { RuleSyntaxError } from "../../src/errors.ts";
import { readFoundSets } from "../../src/trace/found-set.ts";

t.test("sets of every type are read", async (t) => {
  const text = [
    "# ipset",
    "create A hash:net family inet6 hashsize 1024 maxelem 65536 timeout 0 comment",
    'add A fd00::/8 timeout 0 nomatch comment "no nomatch"',
    'add A fd01::/16 timeout 0 comment "nomatch"',
    "create B hash:ip family inet netmask 24",
    "create C bitmap:port range 0-65535",
    "add C 80",
    "",
  ].join("\n");
  t.strictSame(
    [...readFoundSets(text)],
    [
      ["A", { name: "A", type: "hash:net", family: "inet6", entries: ["fd00::/8 nomatch", "fd01::/16"] }],
      ["B", { name: "B", type: "hash:ip", family: "inet", netmask: 24, entries: [] }],
      ["C", { name: "C", type: "bitmap:port", family: "none", entries: ["80"] }],
    ],
  );
});

t.test("what is not save text names its line", async (t) => {
  for (const line of ["add A 1.2.3.4", "destroy A", "create"]) {
    t.throws(
      () => readFoundSets(`create B hash:ip\n${line}`),
      new RuleSyntaxError(2, line, "neither a set nor an entry of one above"),
      line,
    );
  }
});
