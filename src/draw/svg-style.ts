// Which colours and letters has a picture, on a light page and on a dark one?
import type { BoxKind } from "./graph.ts";
import { SIZES } from "./layout/text-size.ts";

interface Paint {
  readonly fill: string;
  readonly stroke: string;
}

interface Palette {
  readonly page: string;
  readonly text: string;
  readonly faint: string;
  readonly arrow: string;
  readonly boxes: Readonly<Record<BoxKind, Paint>>;
}

const LIGHT: Palette = {
  page: "#ffffff",
  text: "#1c1d1f",
  faint: "#5c6066",
  arrow: "#7a7f87",
  boxes: {
    hook: { fill: "#dfe8f4", stroke: "#4a6285" },
    chain: { fill: "#f5f5f2", stroke: "#8a8a82" },
    set: { fill: "#eee6f7", stroke: "#775a9e" },
    server: { fill: "#dcf0f2", stroke: "#2f7a83" },
    endpoint: { fill: "#dff2df", stroke: "#3d7f3f" },
    refusal: { fill: "#f9e0de", stroke: "#b0403a" },
    stop: { fill: "#faf0d6", stroke: "#a0761a" },
    crowd: { fill: "#ffffff", stroke: "#8a8a82" },
  },
};

const DARK: Palette = {
  page: "#16181b",
  text: "#e8e9eb",
  faint: "#a3a8b0",
  arrow: "#858b94",
  boxes: {
    hook: { fill: "#23314a", stroke: "#7f9cc9" },
    chain: { fill: "#26282c", stroke: "#8b8f96" },
    set: { fill: "#35274a", stroke: "#ae90d6" },
    server: { fill: "#173b40", stroke: "#5fb0ba" },
    endpoint: { fill: "#1c3a1f", stroke: "#74b877" },
    refusal: { fill: "#4a1f1d", stroke: "#e0837d" },
    stop: { fill: "#443410", stroke: "#d6aa4c" },
    crowd: { fill: "#16181b", stroke: "#8b8f96" },
  },
};

const FONTS = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace';

/** A style sheet; plain rules throughout, for readers of SVG that know no variables. */
export function* printStyle(): Iterable<string> {
  yield `text { font-family: ${FONTS}; white-space: pre; }`;
  yield `.title { font-size: ${SIZES.title.font}px; font-weight: bold; }`;
  yield `.name { font-size: ${SIZES.name.font}px; font-weight: bold; }`;
  yield `.caption { font-weight: normal; }`;
  yield `.note { font-size: ${SIZES.note.font}px; }`;
  yield `.label { font-size: ${SIZES.label.font}px; }`;
  yield ".way { fill: none; stroke-width: 1.2; }";
  yield ".crowd { stroke-dasharray: 4 3; }";
  yield* printPalette(LIGHT);
  yield "@media (prefers-color-scheme: dark) {";
  yield* printPalette(DARK);
  yield "}";
}

function* printPalette({ page, text, faint, arrow, boxes }: Palette): Iterable<string> {
  yield `.page { fill: ${page}; }`;
  yield `text { fill: ${text}; }`;
  yield `.caption, .label { fill: ${faint}; }`;
  yield `.way { stroke: ${arrow}; }`;
  yield `.head { fill: ${arrow}; }`;
  for (const [kind, { fill, stroke }] of Object.entries(boxes)) yield `.${kind} { fill: ${fill}; stroke: ${stroke}; }`;
}
