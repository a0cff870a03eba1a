// Tests extracting flags from arguments.
import t from "tap";
import { ALL_FLAGS, takeFlags } from "../../src/options/flags.ts";

const CASES: readonly [string, readonly string[], Readonly<Record<string, readonly string[]>>, readonly string[]][] = [
  ["a value behind an equals sign", ["--proxy-mode=ipvs"], { "proxy-mode": ["ipvs"] }, []],
  ["a value in the next argument", ["--proxy-mode", "ipvs"], { "proxy-mode": ["ipvs"] }, []],
  ["underscores", ["--proxy_mode=ipvs"], { "proxy-mode": ["ipvs"] }, []],
  [
    "a bool alone does not eat what follows",
    ["--masquerade-all", "x.yaml"],
    { "masquerade-all": ["true"] },
    ["x.yaml"],
  ],
  ["a bool with a value", ["--masquerade-all=f"], { "masquerade-all": ["f"] }, []],
  ["an empty value", ["--proxy-mode="], { "proxy-mode": [""] }, []],
  ["a value with an equals sign", ["--feature-gates=A=true"], { "feature-gates": ["A=true"] }, []],
  ["repeats are kept in order", ["--cluster-cidr=a", "--cluster-cidr", "b"], { "cluster-cidr": ["a", "b"] }, []],
  ["verbosity in all its spellings", ["-v", "4", "-v=5", "-v6", "--v=7"], { v: ["4", "5", "6", "7"] }, []],
  ["a version alone or with a value", ["--version", "--version=raw"], { version: ["true", "raw"] }, []],
  ["help in its short form", ["-h"], { help: ["true"] }, []],
  ["all else is left", ["render", "--node", "a", "x.yaml", "-"], {}, ["render", "--node", "a", "x.yaml", "-"]],
  ["behind two dashes nothing is a flag", ["--", "--proxy-mode=ipvs"], {}, ["--", "--proxy-mode=ipvs"]],
];

t.test("flags are taken out as Go's flag library reads them", async (t) => {
  for (const [name, args, given, rest] of CASES) {
    const taken = takeFlags(args, ALL_FLAGS);
    t.strictSame(Object.fromEntries(taken.given), given, name);
    t.strictSame(taken.rest, rest, `${name}: the rest`);
  }
});

t.test("a flag without its value is refused", async (t) => {
  t.throws(() => takeFlags(["--proxy-mode"], ALL_FLAGS), { message: "flag needs an argument: --proxy-mode" });
  t.throws(() => takeFlags(["-v"], ALL_FLAGS), { message: "flag needs an argument: -v" });
});

t.test("a flag that is not among the rows is left, one-letter flags too", async (t) => {
  t.strictSame(takeFlags(["-v", "x"], []).rest, ["-v", "x"]);
});
