// How do differences read as a unified diff?
import { type Difference, type Edit, printPlace } from "./difference.ts";
import { groupPlaces } from "./groups.ts";
import { printHeading } from "./print-text.ts";

/** Lines that stay and are shown before and behind those that do not. */
const CONTEXT = 3;

const NOTHING = "/dev/null";

const SIGNS = { comes: "+", goes: "-", stays: " " } as const;

/**
 * Each place is a file, whose line numbers are those of the rules in a chain; places are grouped by the Service that
 * they belong to alone, below a heading that programs that read diffs pass over.
 */
export function* printUnified(differences: readonly Difference[]): Iterable<string> {
  for (const group of groupPlaces(differences)) {
    yield printHeading(group);
    for (const difference of group.differences) yield* printFile(difference);
  }
}

function* printFile({ family, place, change, edits }: Difference): Iterable<string> {
  const name = `${family} ${printPlace(place)}`;
  yield `--- ${change === "new" ? NOTHING : name}`;
  yield `+++ ${change === "gone" ? NOTHING : name}`;
  // Lines before and after that are above the hunk.
  const above = { before: 0, after: 0 };
  let done = 0;
  for (const [from, to] of hunksOf(edits)) {
    const between = from - done;
    const lines = edits.slice(from, to);
    const before = lines.filter(({ kind }) => kind !== "comes").length;
    const after = lines.filter(({ kind }) => kind !== "goes").length;
    above.before += between;
    above.after += between;
    yield `@@ -${printRange(above.before, before)} +${printRange(above.after, after)} @@`;
    for (const { kind, text } of lines) yield `${SIGNS[kind]}${text}`;
    above.before += before;
    above.after += after;
    done = to;
  }
}

/** A range without lines is named by the line above it. */
function printRange(above: number, count: number): string {
  if (count === 1) return `${above + 1}`;
  return `${count === 0 ? above : above + 1},${count}`;
}

/** From and up to which edit each hunk goes. */
function hunksOf(edits: readonly Edit[]): readonly (readonly [number, number])[] {
  const hunks: [number, number][] = [];
  for (const [index, { kind }] of edits.entries()) {
    if (kind === "stays") continue;
    const last = hunks.at(-1);
    const to = Math.min(edits.length, index + 1 + CONTEXT);
    if (last && index - CONTEXT <= last[1]) last[1] = to;
    else hunks.push([Math.max(0, index - CONTEXT), to]);
  }
  return hunks;
}
