// How do series of measured points look side by side, as an SVG?

/** One line of a panel. */
export interface Series {
  readonly name: string;
  /** Left to right. */
  readonly points: readonly Point[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Panel {
  readonly title: string;
  readonly series: readonly Series[];
}

export interface LinePlot {
  readonly title: string;
  /** Below everything: where and when it was measured. */
  readonly note: string;
  /** With units. Both axes are logarithmic, and say so. */
  readonly axes: readonly [x: string, y: string];
  /** Side by side, with the same axes. */
  readonly panels: readonly Panel[];
}

/** Pixels. */
const PANEL = { width: 400, height: 300, left: 64, right: 20, top: 80, bottom: 84 } as const;

/** For series one after the other: to be told apart on white and on black, and without seeing red or green. */
const COLOURS = ["#d55e00", "#0072b2", "#8a8a8a"];
const DASHES = ["", "", "6 4"];
const TEXT = "#57606a";
const GRID = "#8c959f";

/** The range of an axis. */
interface Range {
  readonly least: number;
  readonly most: number;
}

interface Scales {
  readonly x: Range;
  readonly y: Range;
}

export function drawLines({ title, note, axes, panels }: LinePlot): string {
  const cell = PANEL.left + PANEL.width + PANEL.right;
  const [width, height] = [cell * panels.length, PANEL.top + PANEL.height + PANEL.bottom];
  const points = panels.flatMap(({ series }) => series.flatMap((each) => each.points));
  const scales = { x: rangeOf(points.map(({ x }) => x)), y: rangeOf(points.map(({ y }) => y)) };
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<title>${title}</title>`,
    text(width / 2, 22, title, 'text-anchor="middle" font-size="16"'),
    ...panels.flatMap((panel, at) => [
      `<g transform="translate(${at * cell + PANEL.left} ${PANEL.top})">`,
      ...drawPanel(panel, axes, scales),
      "</g>",
    ]),
    text(width / 2, height - 10, note, 'text-anchor="middle" font-size="11"'),
    "</svg>",
  ];
  return `${lines.join("\n")}\n`;
}

function drawPanel({ title, series }: Panel, [xAxis, yAxis]: LinePlot["axes"], scales: Scales): readonly string[] {
  const { width, height } = PANEL;
  const middle = `translate(-46 ${height / 2}) rotate(-90)`;
  return [
    ...ticksOf(scales.x).flatMap((value) => {
      const x = placeOf(value, scales.x, width);
      return [rule(x, 0, x, height), text(x, height + 16, short(value), 'text-anchor="middle"')];
    }),
    ...ticksOf(scales.y).flatMap((value) => {
      const y = height - placeOf(value, scales.y, height);
      return [rule(0, y, width, y), text(-6, y + 4, short(value), 'text-anchor="end"')];
    }),
    text(width / 2, -30, title, 'text-anchor="middle" font-size="13"'),
    text(width / 2, height + 36, `${xAxis} (logarithmic)`, 'text-anchor="middle"'),
    `<g transform="${middle}">${text(0, 0, `${yAxis} (logarithmic)`, 'text-anchor="middle"')}</g>`,
    ...series.flatMap((each, at) => drawSeries(each, at, scales)),
    ...legend(series),
  ];
}

function drawSeries({ points }: Series, at: number, { x, y }: Scales): readonly string[] {
  const colour = COLOURS[at % COLOURS.length];
  const places = points.map((point) => ({
    x: round(placeOf(point.x, x, PANEL.width)),
    y: round(PANEL.height - placeOf(point.y, y, PANEL.height)),
  }));
  const path = places.map((place) => `${place.x},${place.y}`).join(" ");
  const dots = places.map((place) => `<circle cx="${place.x}" cy="${place.y}" r="3" fill="${colour}"/>`);
  return [`<polyline points="${path}" ${strokeOf(at)}/>`, ...dots];
}

/** In one row below the panel's title, spread evenly. */
function legend(series: readonly Series[]): readonly string[] {
  const room = PANEL.width / series.length;
  return series.flatMap(({ name }, at) => {
    const x = at * room;
    return [`<polyline points="${round(x)},-14 ${round(x + 18)},-14" ${strokeOf(at)}/>`, text(x + 24, -10, name)];
  });
}

function strokeOf(at: number): string {
  const dash = DASHES[at % DASHES.length];
  return `fill="none" stroke="${COLOURS[at % COLOURS.length]}" stroke-width="2"${dash ? ` stroke-dasharray="${dash}"` : ""}`;
}

function rule(x1: number, y1: number, x2: number, y2: number): string {
  const places = `x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"`;
  return `<line ${places} stroke="${GRID}" stroke-opacity="0.35"/>`;
}

function text(x: number, y: number, words: string, attributes = ""): string {
  const clean = words.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  return `<text x="${round(x)}" y="${round(y)}" fill="${TEXT}"${attributes === "" ? "" : ` ${attributes}`}>${clean}</text>`;
}

/** Places along the axis, as far apart as their ratio. */
function placeOf(value: number, { least, most }: Range, length: number): number {
  return (Math.log(value / least) / Math.log(most / least)) * length;
}

/** 1, 2 and 5 of each power of ten. */
function ticksOf({ least, most }: Range): readonly number[] {
  const ticks: number[] = [];
  for (let power = 10 ** Math.floor(Math.log10(least)); power <= most; power *= 10) {
    ticks.push(...[1, 2, 5].map((digit) => digit * power).filter((tick) => tick >= least && tick <= most));
  }
  return ticks;
}

/** From tick to tick. */
function rangeOf(values: readonly number[]): Range {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const around = ticksOf({ least: least / 10, most: most * 10 });
  return {
    least: around.findLast((tick) => tick <= least) ?? least,
    most: around.find((tick) => tick >= most && tick > least) ?? most,
  };
}

function short(value: number): string {
  return value >= 1000 ? `${value / 1000}k` : String(round(value));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
