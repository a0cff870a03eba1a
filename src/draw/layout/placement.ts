// Where does everything stand?
import type { Arrow, Box, Graph } from "../graph.ts";
import { known } from "../known.ts";
import { splitGraph } from "./components.ts";
import { type Grid, type Item, type Lane, layGrid } from "./grid.ts";
import { orderColumns } from "./order.ts";
import { settleRows } from "./rows.ts";
import { straightenLanes } from "./straight.ts";

export interface PlacedBox {
  readonly box: Box;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A level part of an arrow. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly y: number;
}

/** It bends between its start, its stretches and its end. */
export interface PlacedArrow {
  readonly arrow: Arrow;
  /** At the edge of a box. */
  readonly start: Point;
  readonly stretches: readonly Stretch[];
  /** At the edge of another. */
  readonly end: Point;
  /** Left end of the line that the label stands on. */
  readonly label: Point;
}

/** A graph with a place for everything, in pixels; nothing is outside of width and height. */
export interface Placement {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly PlacedBox[];
  readonly arrows: readonly PlacedArrow[];
}

interface Extent {
  readonly x: number;
  readonly width: number;
}

/** Room for arrows to bend: more where they have to climb further. */
const BEND = { least: 26, most: 96, slope: 0.18 };

/** Pixels between two parts that no arrow joins. */
const APART = 22;

/**
 * Columns from left to right, boxes of one column equally wide. Boxes and labels never touch one another, and arrows
 * cross neither: they bend only between columns. Parts that nothing joins stand one below the other. Throws a
 * RangeError for an arrow to a box that is not there.
 */
export function placeGraph(graph: Graph): Placement {
  let whole: Placement = { width: 0, height: 0, boxes: [], arrows: [] };
  for (const part of splitGraph(graph)) {
    const { width, height, boxes, arrows } = placePart(part);
    const down = whole.height === 0 ? 0 : whole.height + APART;
    whole = {
      width: Math.max(whole.width, width),
      height: down + height,
      boxes: [...whole.boxes, ...boxes.map((box) => ({ ...box, y: box.y + down }))],
      arrows: [...whole.arrows, ...arrows.map((arrow) => moveDown(arrow, down))],
    };
  }
  return whole;
}

function moveDown({ arrow, start, stretches, end, label }: PlacedArrow, down: number): PlacedArrow {
  const lower = ({ x, y }: Point) => ({ x, y: y + down });
  const lowered = stretches.map((stretch) => ({ ...stretch, y: stretch.y + down }));
  return { arrow, start: lower(start), stretches: lowered, end: lower(end), label: lower(label) };
}

function placePart(graph: Graph): Placement {
  const grid = layGrid(graph);
  const columns = orderColumns(grid.columns);
  const rows = straightenLanes(columns, grid.lanes, settleRows(columns));
  const { extents, width } = extentsOf(columns, rows);
  const spot = (item: Item) => ({ ...known(extents, item), y: known(rows, item) });
  return {
    width,
    height: Math.max(...[...rows].map(([{ below }, row]) => row + below)),
    boxes: boxesOf(grid, spot),
    arrows: grid.lanes.map((lane) => placeArrow(lane, spot)),
  };
}

type Spot = (item: Item) => Extent & { readonly y: number };

/** Where the column of each item is, and how wide all are together. */
function extentsOf(columns: readonly (readonly Item[])[], rows: ReadonlyMap<Item, number>) {
  const extents = new Map<Item, Extent>();
  let right = 0;
  for (const [index, column] of columns.entries()) {
    const x = index === 0 ? 0 : right + bendBefore(column, rows);
    const width = Math.max(...column.map((item) => item.width));
    for (const item of column) extents.set(item, { x, width });
    right = x + width;
  }
  return { extents, width: right };
}

function bendBefore(column: readonly Item[], rows: ReadonlyMap<Item, number>): number {
  const climbs = column.flatMap((item) => item.before.map((other) => Math.abs(known(rows, item) - known(rows, other))));
  return Math.round(Math.min(BEND.most, Math.max(BEND.least, Math.max(0, ...climbs) * BEND.slope)));
}

function boxesOf({ columns }: Grid, spot: Spot): readonly PlacedBox[] {
  return columns.flat().flatMap((item) => {
    if (!item.box) return [];
    const { x, width, y } = spot(item);
    return [{ box: item.box, x, width, y: y - item.above, height: item.above + item.below }];
  });
}

function placeArrow({ arrow, first, label, passing, last, backward }: Lane, spot: Spot): PlacedArrow {
  const stretches = passing.map(spot).map(({ x, width, y }) => ({ from: x, to: x + width, y }));
  const { x, width, y } = spot(first);
  const [start, end] = [
    { x: x + width, y },
    { x: spot(last).x, y: spot(last).y },
  ];
  const place = { x: spot(label).x, y: spot(label).y };
  if (!backward) return { arrow, start, stretches, end, label: place };
  const turned = stretches.map(({ from, to, y }) => ({ from: to, to: from, y })).reverse();
  return { arrow, start: end, stretches: turned, end: start, label: place };
}
