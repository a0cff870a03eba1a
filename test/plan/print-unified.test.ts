import fc from "fast-check";
import t from "tap";
import type { Difference, Edit } from "../../src/plan/difference.ts";
import { editsBetween } from "../../src/plan/edits.ts";
import { printUnified } from "../../src/plan/print-unified.ts";
import { takeSeed } from "../support/seed.ts";

const lines = (all: readonly string[]) => all.map((text) => ({ text }));

function differenceOf(edits: readonly Edit[]): Difference {
  return { family: "IPv4", place: { kind: "chain", table: "nat", name: "X" }, change: "changed", edits };
}

/** What `patch` would make of the lines. */
function patched(before: readonly string[], diff: readonly string[]): readonly string[] {
  const after: string[] = [];
  let done = 0;
  for (const line of diff.slice(3)) {
    const [, start, count = "1"] = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@$/.exec(line) ?? [];
    if (start !== undefined) {
      const first = Number(start) - (count === "0" ? 0 : 1);
      after.push(...before.slice(done, first));
      done = first;
    } else if (line.startsWith("+")) {
      after.push(line.slice(1));
    } else {
      if (before[done] !== line.slice(1)) throw new Error(`${line} is not there`);
      if (line.startsWith(" ")) after.push(line.slice(1));
      done++;
    }
  }
  return [...after, ...before.slice(done)];
}

t.test("whoever reads unified diffs comes from the lines before to those after", async (t) => {
  const list = fc.array(fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz"), { maxLength: 40 });
  fc.assert(
    fc.property(list, list, (before, after) => {
      const diff = [...printUnified([differenceOf(editsBetween(lines(before), lines(after)))])];
      t.strictSame(patched(before, diff), after);
    }),
    { seed: takeSeed() },
  );
});

t.test("hunks that touch are one", async (t) => {
  const before = [..."abcdefghijklmnop"];
  const after = before.map((line) => (line === "c" || line === "i" || line === "p" ? line.toUpperCase() : line));
  const diff = [...printUnified([differenceOf(editsBetween(lines(before), lines(after)))])];
  t.strictSame(diff.slice(0, 3), ["# IPv4", "--- IPv4 nat X", "+++ IPv4 nat X"]);
  t.strictSame(
    diff.filter((line) => line.startsWith("@@")),
    ["@@ -1,16 +1,16 @@"],
  );
});
