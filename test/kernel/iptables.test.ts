import t from "tap";
import { KernelError, RuleSyntaxError } from "../../src/errors.ts";
import type { RunCommand } from "../../src/kernel/command.ts";
import { restoreTables } from "../../src/kernel/iptables.ts";
import { machine } from "../../src/kernel/kernel.ts";
import { FakeIptables } from "../support/fake-iptables.ts";
import { refusalOf } from "../support/refusal.ts";

const RULES = Array.from({ length: 9 }, (_, index) => `-A X -j ${index === 4 ? "NOWHERE" : "RETURN"}`);
const CHANGE = { table: "nat", clear: ["X"], rules: RULES, remove: [] } as const;

t.test("a refused restore shows the lines round the one that the tool names", async (t) => {
  const tools = new FakeIptables();
  try {
    await restoreTables(tools.run, "IPv6", [CHANGE]);
    t.fail("went well");
  } catch (error) {
    t.ok(error instanceof KernelError);
    t.match(error, { refusal: { step: "ip6tables-restore", target: "-w 5 --noflush --counters" } });
    t.strictSame(error instanceof KernelError && error.refusal.context, [
      "  4: -A X -j RETURN",
      "  5: -A X -j RETURN",
      "  6: -A X -j RETURN",
      "> 7: -A X -j NOWHERE",
      "  8: -A X -j RETURN",
      "  9: -A X -j RETURN",
      "  10: -A X -j RETURN",
    ]);
  }
});

t.test("a fault near the end shows what there is", async (t) => {
  const tools = new FakeIptables();
  const change = { table: "nat", clear: [], rules: [], remove: ["X"] } as const;
  const { context, rejectedLines } = await refusalOf(restoreTables(tools.run, "IPv4", [change]));
  t.strictSame(context, ["  1: *nat", "> 2: -X X", "  3: COMMIT"]);
  t.strictSame(rejectedLines, ["-X X"]);
});

t.test("every way in which the tools name a line is understood", async (t) => {
  const ways = [
    "line 3: RULE_APPEND failed",
    "line 3 failed",
    "Error occurred at line: 3",
    "COMMIT expected at line 3",
  ];
  for (const words of ways) {
    const run: RunCommand = () => Promise.reject(new KernelError({ step: "r", target: "", code: "1", words }));
    t.strictSame((await refusalOf(restoreTables(run, "IPv4", [CHANGE]))).rejectedLines, RULES.slice(0, 1), words);
  }
});

t.test("every line that iptables-nft names is found, and the lines around the first are shown", async (t) => {
  const words =
    "\nline 3: RULE_APPEND failed (No such file): rule in chain X\nline 12: RULE_APPEND failed (Invalid argument)";
  const run: RunCommand = () => Promise.reject(new KernelError({ step: "r", target: "", code: "4", words }));
  const change = { ...CHANGE, rules: Array.from({ length: 12 }, (_, at) => `-A X -j R${at}`) };
  const { rejectedLines, context } = await refusalOf(restoreTables(run, "IPv4", [change]));
  t.strictSame(rejectedLines, ["-A X -j R0", "-A X -j R9"]);
  t.equal(context?.[2], "> 3: -A X -j R0");
  t.equal(context?.at(-1), "  6: -A X -j R3");
});

t.test("a lock that is held is told with its holder, any other error is passed on", async (t) => {
  const words = { step: "iptables-restore", target: "", code: "4", words: "Another app is holding the xtables lock" };
  const locked: RunCommand = () => Promise.reject(new KernelError(words));
  const held = await refusalOf(restoreTables(locked, "IPv4", [CHANGE]));
  t.match(held, { code: "4", words: /^Another app is holding the xtables lock \(held by / });
  const broken: RunCommand = () => Promise.reject(new TypeError("a bug"));
  await t.rejects(restoreTables(broken, "IPv4", [CHANGE]), TypeError);
});

t.test("what a tool prints that is no save text is told", async (t) => {
  const kernel = machine(() => Promise.resolve("hello\n"));
  await t.rejects(kernel.observe("IPv4", { sysctls: [], counters: [] }), RuleSyntaxError);
});
