// At which height does everything stand, so that arrows are as straight as the room allows?
import { known } from "../known.ts";
import type { Item } from "./grid.ts";

type Column = readonly Item[];
type Side = "before" | "after";

/** Pixels between two things of a column. */
const GAP = 10;

/** How much a level line counts: hardly at all where the arrows of a box part from one another. */
const LEVEL = { usual: 40, parting: 0.05 };

const ROUNDS = 12;

/** Height of each item's anchor in pixels. The topmost thing touches 0. */
export function settleRows(columns: readonly Column[]): ReadonlyMap<Item, number> {
  const rows = new Map<Item, number>();
  for (const column of columns) place(rows, column, []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const column of columns) place(rows, column, ["before"]);
    for (const column of columns.toReversed()) place(rows, column, ["after"]);
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const column of round % 2 === 0 ? columns : columns.toReversed()) place(rows, column, ["before", "after"]);
  }
  const top = Math.min(...[...rows].map(([{ above }, row]) => row - above));
  return new Map([...rows].map(([item, row]) => [item, Math.round(row - top)]));
}

/** Moves the items of a column to where they would like to be, kept in order and apart. */
function place(rows: Map<Item, number>, column: Column, sides: readonly Side[]): void {
  let offset = 0;
  let over: Item | undefined;
  const wishes = column.map((item) => {
    if (over) offset += over.below + GAP + item.above;
    over = item;
    const { row, weight } = wishOf(item, sides, rows);
    return { item, offset, value: row - offset, weight };
  });
  for (const [wish, value] of risingMeans(wishes)) rows.set(wish.item, value + wish.offset);
}

/** The mean height of what the item is joined with; of what is joined with nothing there, its own. */
function wishOf(item: Item, sides: readonly Side[], rows: ReadonlyMap<Item, number>) {
  let [sum, weight] = [0, 0];
  for (const side of sides) {
    for (const other of item[side]) {
      const left = side === "before" ? other : item;
      const share = left.after.length > 1 ? LEVEL.parting : LEVEL.usual;
      sum += share * known(rows, other);
      weight += share;
    }
  }
  return weight === 0 ? { row: rows.get(item) ?? 0, weight: 0.1 } : { row: sum / weight, weight };
}

interface Wish {
  readonly value: number;
  readonly weight: number;
}

/** For each wish a number, none less than the one before, as near to the wishes as can be by weighted squares. */
function risingMeans<T extends Wish>(wishes: readonly T[]): readonly (readonly [T, number])[] {
  const blocks: { value: number; weight: number; wishes: readonly T[] }[] = [];
  for (const wish of wishes) {
    let block = { value: wish.value, weight: wish.weight, wishes: [wish] };
    for (let last = blocks.at(-1); last && last.value > block.value; last = blocks.at(-1)) {
      blocks.pop();
      const weight = last.weight + block.weight;
      const value = (last.value * last.weight + block.value * block.weight) / weight;
      block = { value, weight, wishes: [...last.wishes, ...block.wishes] };
    }
    blocks.push(block);
  }
  return blocks.flatMap(({ value, wishes }) => wishes.map((wish) => [wish, value] as const));
}
