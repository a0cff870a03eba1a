// Which things stand in which column, arrows and labels that only pass through it among them?
import { type Arrow, type Box, type Graph, headingOf } from "../graph.ts";
import { known } from "../known.ts";
import { rankBoxes } from "./ranks.ts";
import { SIZES, textWidth } from "./text-size.ts";

/** A thing in a column: a box, or the place where an arrow passes. Arrows meet it at the height of its anchor. */
export interface Item {
  readonly box?: Box;
  /** Lines above the arrow that passes. */
  readonly labels: readonly string[];
  readonly width: number;
  /** Pixels that it needs above its anchor and below. */
  readonly above: number;
  readonly below: number;
  /** What it is joined with in the column to the left, and in the one to the right. */
  readonly before: Item[];
  readonly after: Item[];
}

/** The way of an arrow, left to right. */
export interface Lane {
  readonly arrow: Arrow;
  readonly first: Item;
  /** Where its label stands. */
  readonly label: Item;
  /** An item of each column between the boxes, that of the label among them. */
  readonly passing: readonly Item[];
  readonly last: Item;
  /** It is drawn from right to left. */
  readonly backward: boolean;
}

export interface Grid {
  /** Columns with boxes are the even ones; labels stand in the odd ones, so that nothing is ever in their way. */
  readonly columns: readonly (readonly Item[])[];
  readonly lanes: readonly Lane[];
}

const PADDING = 6;

/** Puts every box, and every column's part of an arrow, in its column. Columns are in the order of the graph yet. */
export function layGrid(given: Graph): Grid {
  const graph = { ...given, arrows: given.arrows.filter(({ from, to }) => from !== to) };
  const ranks = rankBoxes(graph);
  const columns: Item[][] = [];
  const put = (column: number, item: Item): Item => {
    while (columns.length <= column) columns.push([]);
    columns[column]?.push(item);
    return item;
  };
  const columnOf = (id: string) => 2 * known(ranks.of, id);
  const items = new Map(graph.boxes.map((box) => [box.id, put(columnOf(box.id), boxItem(box))]));
  const lanes = graph.arrows.map((arrow): Lane => {
    const backward = ranks.backward.has(arrow);
    const [left, right] = backward ? [arrow.to, arrow.from] : [arrow.from, arrow.to];
    const [first, last] = [known(items, left), known(items, right)];
    const column = columnOf(left) + 1;
    const label = put(column, passItem(arrow.labels));
    const beyond = Array.from({ length: columnOf(right) - column - 1 }, (_, index) =>
      put(column + 1 + index, passItem([])),
    );
    const passing = [label, ...beyond];
    join([first, ...passing, last]);
    return { arrow, first, label, passing, last, backward };
  });
  return { columns, lanes };
}

function boxItem(box: Box): Item {
  const heading = headingOf(box);
  const width = Math.max(textWidth([heading], SIZES.name), textWidth(box.notes, SIZES.note)) + 4 * PADDING;
  const half = (2 * PADDING + SIZES.name.line + box.notes.length * SIZES.note.line) / 2;
  return { box, labels: [], width, above: half, below: half, before: [], after: [] };
}

function passItem(labels: readonly string[]): Item {
  const width = labels.length === 0 ? 0 : textWidth(labels, SIZES.label) + PADDING;
  return { labels, width, above: labels.length * SIZES.label.line + 3, below: 3, before: [], after: [] };
}

function join(items: readonly Item[]): void {
  let left: Item | undefined;
  for (const item of items) {
    left?.after.push(item);
    if (left) item.before.push(left);
    left = item;
  }
}
