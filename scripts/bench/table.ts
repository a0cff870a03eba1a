// How do answers read?
import type { Summary } from "./measurement.ts";

/** A summary, and the variant and the layout that it is about; `-`: of no layout. */
export interface Row extends Summary {
  readonly variant: string;
  readonly layout: string;
}

const HEAD = ["variant", "layout", "question", "ours", "baseline", "ratio", "spread", "n", "the baseline is"];

/** These columns are figures. */
const RIGHT: ReadonlySet<number> = new Set([3, 4, 5, 6, 7]);

/** One line for each question, columns aligned. */
export function printTable(rows: readonly Row[]): string {
  const cells = [HEAD, ...rows.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const pad = (cell: string, column: number) => {
    const width = widths[column] ?? 0;
    return RIGHT.has(column) ? cell.padStart(width) : cell.padEnd(width);
  };
  return cells.map((row) => row.map(pad).join("  ").trimEnd()).join("\n");
}

/** One answer by itself, for whoever waits for the table. */
export function printAnswer(summary: Summary): string {
  return answerCells(summary).join("  ");
}

function cellsOf({ variant, layout, ...summary }: Row): readonly string[] {
  return [variant, layout, ...answerCells(summary)];
}

function answerCells({ question, unit, ours, baseline, ratio, spread, n, against }: Summary): readonly string[] {
  const [least, most] = spread;
  return [
    question,
    `${figure(ours)} ${SHORT.get(unit) ?? unit}`,
    `${figure(baseline)} ${SHORT.get(unit) ?? unit}`,
    ratio === undefined ? "-" : `${ratio.toFixed(2)}x`,
    `${figure(least)}-${figure(most)}`,
    String(n),
    against,
  ];
}

const SHORT: ReadonlyMap<string, string> = new Map([
  ["lines", "  "],
  ["processes", "  "],
  ["passes", "  "],
]);

/** Three figures that count are more than a busy machine can give. */
function figure(value: number): string {
  return Number.isInteger(value) || value >= 100 ? value.toFixed(0) : value.toFixed(1);
}
