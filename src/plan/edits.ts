// Which lines come and which go, so that one list becomes another?
import { countWhile } from "../paged-list.ts";
import type { Edit, Line } from "./difference.ts";

/**
 * Every line of both lists, in an order that shows the way from one to the other: as many as possible stay, and what
 * goes stands before what comes in its place. A line that only moves goes in one place and comes in another. What stays
 * is as `after` tells it.
 */
export function editsBetween(before: readonly Line[], after: readonly Line[]): readonly Edit[] {
  const edits: Edit[] = [];
  let [from, to] = [0, 0];
  for (const [index, place] of [...stayingPlaces(before, after), [before.length, after.length] as const]) {
    for (const line of before.slice(from, index)) edits.push({ ...line, kind: "goes" });
    for (const line of after.slice(to, place)) edits.push({ ...line, kind: "comes" });
    const line = after[place];
    if (line) edits.push({ ...line, kind: "stays" });
    [from, to] = [index + 1, place + 1];
  }
  return edits;
}

type Pair = readonly [before: number, after: number];

/** Lines are matched by their text, the first with the first; of these pairs, the longest row in order of both. */
function stayingPlaces(before: readonly Line[], after: readonly Line[]): readonly Pair[] {
  const places = new Map<string, number[]>();
  for (const [index, { text }] of before.entries()) {
    const known = places.get(text);
    if (known) known.push(index);
    else places.set(text, [index]);
  }
  const pairs: Pair[] = [];
  for (const [index, { text }] of after.entries()) {
    const place = places.get(text)?.shift();
    if (place !== undefined) pairs.push([place, index]);
  }
  return longestRising(pairs);
}

interface Link {
  readonly pair: Pair;
  readonly behind: Link | undefined;
}

/** Of pairs that rise in the second number, the most that rise in the first one too. */
function longestRising(pairs: readonly Pair[]): readonly Pair[] {
  // The best row of each length, by its last pair.
  const rows: Link[] = [];
  for (const pair of pairs) {
    const length = countWhile(rows, (row) => row.pair[0] < pair[0]);
    rows[length] = { pair, behind: rows[length - 1] };
  }
  const longest: Pair[] = [];
  for (let link = rows.at(-1); link; link = link.behind) longest.push(link.pair);
  return longest.reverse();
}
