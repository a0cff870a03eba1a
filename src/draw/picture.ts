// How does a graph become a picture?
import { crowdArrows } from "./crowd.ts";
import { printDot } from "./dot.ts";
import type { Graph } from "./graph.ts";
import { printMermaid } from "./mermaid.ts";
import { printSvg } from "./svg.ts";

const PRINTERS = { svg: printSvg, mermaid: printMermaid, dot: printDot };

export type PictureFormat = keyof typeof PRINTERS;

export const PICTURE_FORMATS: readonly PictureFormat[] = ["svg", "mermaid", "dot"];

/** One graph as a picture, line by line. Throws a RangeError for an arrow to a box that is not there. */
export function drawGraph(graph: Graph, format: PictureFormat): Iterable<string> {
  return drawGraphs([graph], format);
}

/** The same of several in one picture, each under its title. More than forty arrows of a box are drawn as a crowd. */
export function drawGraphs(graphs: readonly Graph[], format: PictureFormat): Iterable<string> {
  return PRINTERS[format](graphs.map(crowdArrows));
}
