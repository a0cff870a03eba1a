import t from "tap";
import { Verbosity } from "../../src/sync/verbosity.ts";

t.test("records up to the level are said, in every file", async (t) => {
  const verbosity = new Verbosity(2);
  t.strictSame(
    [0, 1, 2, 3].map((level) => verbosity.allows(level, "keeper.ts")),
    [true, true, true, false],
  );
  t.notOk(new Verbosity().allows(1, "keeper.ts"), "and of itself only what everybody is to see");
});

t.test("the level may change while the log runs", async (t) => {
  const verbosity = new Verbosity(0);
  verbosity.set(4);
  t.equal(verbosity.level, 4);
  t.ok(verbosity.allows(4, "keeper.ts"));
});

t.test("a file's own level only adds", async (t) => {
  const verbosity = new Verbosity(2, [{ filePattern: "keeper", verbosity: 1 }]);
  t.ok(verbosity.allows(2, "keeper.ts"));
});

t.test("of several patterns the first that matches counts", async (t) => {
  const levels = [
    { filePattern: "kee*", verbosity: 3 },
    { filePattern: "keeper", verbosity: 9 },
  ];
  t.notOk(new Verbosity(0, levels).allows(4, "keeper.ts"));
});

const PATTERNS: readonly (readonly [pattern: string, file: string, matches: boolean])[] = [
  ["keeper", "keeper.ts", true],
  ["keeper", "keeper.js", true],
  ["keeper.ts", "keeper.ts", false],
  ["", "keeper.ts", false],
  ["keep", "keeper.ts", false],
  ["eeper", "keeper.ts", false],
  ["*", "family-loop.ts", true],
  ["family-*", "family-loop.ts", true],
  ["k?eper", "keeper.ts", true],
  ["keeper?", "keeper.ts", false],
  ["k[a-f]eper", "keeper.ts", true],
  ["k[^a-f]eper", "keeper.ts", false],
  ["k[\\d-\\f]eper", "keeper.ts", true],
  ["k.eper", "keeper.ts", false],
  ["k(e)*", "keeper.ts", false],
  ["\\keeper", "keeper.ts", true],
  ["\\*", "keeper.ts", false],
  ["[keeper", "keeper.ts", false],
  ["k[z-a]*", "keeper.ts", false],
  ["keeper\\", "keeper.ts", false],
];
for (const [filePattern, file, matches] of PATTERNS) {
  t.test(`${filePattern} ${matches ? "is" : "is not"} ${file}`, async (t) => {
    t.equal(new Verbosity(0, [{ filePattern, verbosity: 5 }]).allows(5, file), matches);
  });
}
