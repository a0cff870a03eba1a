// How is a graph drawn as SVG?
import type { Graph } from "./graph.ts";
import { type PlacedArrow, type PlacedBox, type Placement, placeGraph } from "./layout/placement.ts";
import { SIZES, textWidth } from "./layout/text-size.ts";
import { printStyle } from "./svg-style.ts";

/** Pixels of page round everything, and between two graphs. */
const MARGIN = 24;

/** The point of an arrow. */
const HEAD = { length: 8, half: 3.5 };

interface Part {
  readonly graph: Graph;
  readonly placement: Placement;
  readonly top: number;
}

/** One picture that needs nothing else: each graph under its title, one below the other. Text stays text. */
export function* printSvg(graphs: readonly Graph[]): Iterable<string> {
  const parts: Part[] = [];
  let top = MARGIN;
  for (const graph of graphs) {
    const placement = placeGraph(graph);
    parts.push({ graph, placement, top });
    top += SIZES.title.line + placement.height + MARGIN;
  }
  const widths = parts.map(({ graph, placement }) => Math.max(placement.width, textWidth([graph.title], SIZES.title)));
  const [width, height] = [2 * MARGIN + Math.max(0, ...widths), Math.max(top, 2 * MARGIN)];
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  yield `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" xml:space="preserve">`;
  yield `<title>${escapeText(graphs.map(({ title }) => title).join(", "))}</title>`;
  yield* ["<style>", ...printStyle(), "</style>"];
  yield '<rect class="page" width="100%" height="100%"/>';
  for (const part of parts) yield* printPart(part);
  yield "</svg>";
}

function* printPart({ graph, placement, top }: Part): Iterable<string> {
  yield `<text class="title" x="${MARGIN}" y="${top + SIZES.title.font}">${escapeText(graph.title)}</text>`;
  yield `<g transform="translate(${MARGIN} ${top + SIZES.title.line})">`;
  for (const arrow of placement.arrows) yield* printArrow(arrow);
  for (const box of placement.boxes) yield* printBox(box);
  yield "</g>";
}

function* printBox({ box, x, y, width, height }: PlacedBox): Iterable<string> {
  const caption = box.caption === "" ? "" : `<tspan class="caption">${escapeText(box.caption)} </tspan>`;
  const [left, first] = [x + 12, y + 6 + SIZES.name.line - 4];
  yield `<rect class="${box.kind}" x="${x}" y="${y}" width="${width}" height="${height}" rx="5"/>`;
  yield `<text class="name" x="${left}" y="${first}">${caption}${escapeText(box.name)}</text>`;
  for (const [index, note] of box.notes.entries()) {
    yield `<text class="note" x="${left}" y="${first + (index + 1) * SIZES.note.line}">${escapeText(note)}</text>`;
  }
}

function* printArrow(placed: PlacedArrow): Iterable<string> {
  const { arrow, label } = placed;
  yield `<path class="way" d="${pathOf(placed)}"/>`;
  yield `<path class="head" d="${headOf(placed)}"/>`;
  for (const [index, text] of arrow.labels.entries()) {
    const y = label.y - 4 - (arrow.labels.length - 1 - index) * SIZES.label.line;
    yield `<text class="label" x="${label.x + 3}" y="${y}">${escapeText(text)}</text>`;
  }
}

/** Level where it passes a column, bent between two. */
function pathOf({ start, stretches, end }: PlacedArrow): string {
  let path = `M${start.x} ${start.y}`;
  let { x, y } = start;
  for (const next of [...stretches, { from: end.x, to: end.x, y: end.y }]) {
    const middle = (x + next.from) / 2;
    path += next.y === y ? ` H${next.from}` : ` C${middle} ${y} ${middle} ${next.y} ${next.from} ${next.y}`;
    if (next.to !== next.from) path += ` H${next.to}`;
    ({ to: x, y } = next);
  }
  return path;
}

function headOf({ start, end: { x, y } }: PlacedArrow): string {
  return `M${x} ${y} l${x < start.x ? HEAD.length : -HEAD.length} ${-HEAD.half} v${2 * HEAD.half} z`;
}

/** Safe in text and in attributes. What XML cannot hold at all becomes a mark that stands for it. */
function escapeText(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
