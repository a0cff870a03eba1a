// In which order do things stand in a column, so that few arrows cross?
import { known } from "../known.ts";
import type { Item } from "./grid.ts";

type Column = readonly Item[];

/** More rounds hardly ever find a better order. */
const ROUNDS = 12;

/**
 * Moves everything to the mean place of what it is joined with, column after column, there and back, and gives the best
 * order met on the way. What has the same mean keeps the order it had, or turns it round, as rounds go by.
 */
export function orderColumns(columns: readonly Column[]): readonly Column[] {
  let now = columns;
  let best = { columns, crossings: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS && best.crossings > 0; round++) {
    const arrange = (column: Column) => (round % 4 > 1 ? column.toReversed() : column);
    now = round % 2 === 0 ? sweep(now, "before", arrange) : sweepBack(now, arrange);
    const crossings = countCrossings(now);
    if (crossings < best.crossings) best = { columns: now, crossings };
  }
  return restoreOrder(best.columns, columns);
}

type Arrange = (column: Column) => Column;

/** Sorts each column by the one before it, arranged first, so that what has the same mean stands as arranged. */
function sweep(columns: readonly Column[], side: "before" | "after", arrange: Arrange): readonly Column[] {
  const swept: Column[] = [];
  for (const column of columns) {
    const last = swept.at(-1);
    swept.push(last ? sortByMean(arrange(column), side, placesOf(last)) : column);
  }
  return swept;
}

function sweepBack(columns: readonly Column[], arrange: Arrange): readonly Column[] {
  return sweep(columns.toReversed(), "after", arrange).toReversed();
}

/** The given order again wherever it makes no more arrows cross: of all things by turning the whole, then of each. */
function restoreOrder(ordered: readonly Column[], given: readonly Column[]): readonly Column[] {
  const places = new Map(given.flatMap((column) => column.map((item, place) => [item, place])));
  const place = (item: Item) => known(places, item);
  const faults = (columns: readonly Column[]) =>
    columns.map((column) => countInversions(column.map(place))).reduce((sum, count) => sum + count, 0);
  const turned = ordered.map((column) => column.toReversed());
  const upright = faults(turned) < faults(ordered) ? turned : ordered;
  const restored = sweepBack(upright, (column) => column.toSorted((a, b) => place(a) - place(b)));
  return countCrossings(restored) <= countCrossings(upright) ? restored : upright;
}

/** What is joined with nothing on that side stays about where it is. */
function sortByMean(column: Column, side: "before" | "after", places: ReadonlyMap<Item, number>): Column {
  const means = column.map((item, index) => {
    const joined = item[side].map((other) => known(places, other));
    const mean = joined.reduce((sum, place) => sum + place, 0) / joined.length;
    return { item, mean: joined.length === 0 ? (index + 0.5) / column.length : mean };
  });
  return means.sort((a, b) => a.mean - b.mean).map(({ item }) => item);
}

/** Between 0 and 1, so that columns of any length compare. */
function placesOf(column: Column): ReadonlyMap<Item, number> {
  return new Map(column.map((item, index) => [item, (index + 0.5) / column.length]));
}

function countCrossings(columns: readonly Column[]): number {
  let count = 0;
  for (const [index, column] of columns.entries()) {
    const places = new Map((columns[index + 1] ?? []).map((item, place) => [item, place]));
    const ends = column.flatMap(({ after }) => after.map((item) => known(places, item)).sort((a, b) => a - b));
    count += countInversions(ends);
  }
  return count;
}

/** Pairs in the wrong order. */
function countInversions(numbers: readonly number[]): number {
  const sorted: number[] = [];
  let count = 0;
  for (const number of numbers) {
    const above = sorted.findLastIndex((other) => other <= number) + 1;
    count += sorted.length - above;
    sorted.splice(above, 0, number);
  }
  return count;
}
