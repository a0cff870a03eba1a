// Which arrows can be made level where they pass columns, without touching anything?
import { known } from "../known.ts";
import type { Item, Lane } from "./grid.ts";

/** Pixels between an arrow that passes and what is next to it: fewer than there are between boxes. */
const GAP = 4;

/** Where an item may stand between its neighbours in the column, both included. */
type RoomOf = (item: Item) => { readonly top: number; readonly bottom: number };

/** The rows, with the passing parts of each arrow at one height where there is one with room for all of them. */
export function straightenLanes(
  columns: readonly (readonly Item[])[],
  lanes: readonly Lane[],
  settled: ReadonlyMap<Item, number>,
): ReadonlyMap<Item, number> {
  const rows = new Map(settled);
  const row = (item: Item) => known(rows, item);
  const neighbours = new Map(
    columns.flatMap((column) => column.map((item, index) => [item, [column[index - 1], column[index + 1]]] as const)),
  );
  const roomOf: RoomOf = (item) => {
    const [over, under] = known(neighbours, item);
    return {
      top: over ? row(over) + over.below + GAP + item.above : item.above,
      bottom: under ? row(under) - under.above - GAP - item.below : Number.POSITIVE_INFINITY,
    };
  };
  for (const { first, passing, last } of lanes) {
    const level = levelOf([last, ...passing.toReversed(), first].map(row), passing, roomOf);
    if (level !== undefined) for (const item of passing) rows.set(item, level);
  }
  return rows;
}

/** The first of the heights that suits all. */
function levelOf(heights: readonly number[], items: readonly Item[], roomOf: RoomOf): number | undefined {
  const rooms = items.map(roomOf);
  return heights.find((height) => rooms.every(({ top, bottom }) => top <= height && height <= bottom));
}
