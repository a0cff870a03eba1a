// How is a graph written for Graphviz?
import { type Box, type BoxKind, type Graph, headingOf } from "./graph.ts";

const STYLES: Readonly<Record<BoxKind, string>> = {
  hook: 'fillcolor="#dbe4f0", color="#4a6285"',
  chain: 'fillcolor="#f4f4f1", color="#7d7d76"',
  set: 'fillcolor="#ebe2f5", color="#775a9e"',
  server: 'fillcolor="#d9eef0", color="#2f7a83"',
  endpoint: 'fillcolor="#dcefdc", color="#3d7f3f"',
  refusal: 'fillcolor="#f7dcda", color="#b0403a"',
  stop: 'fillcolor="#f8ebcc", color="#a0761a"',
  crowd: 'fillcolor="#f4f4f1", color="#7d7d76", style="filled,rounded,dashed"',
};

/** One directed graph, each of ours a cluster of it. */
export function* printDot(graphs: readonly Graph[]): Iterable<string> {
  yield "digraph fairlead {";
  yield '  rankdir=LR; fontname="monospace";';
  yield '  node [shape=box, style="filled,rounded", fontname="monospace", fontsize=10];';
  yield '  edge [fontname="monospace", fontsize=9];';
  for (const [index, graph] of graphs.entries()) yield* printCluster(graph, index);
  yield "}";
}

function* printCluster({ title, boxes, arrows }: Graph, index: number): Iterable<string> {
  const names = new Map(boxes.map(({ id }, number) => [id, `g${index}b${number}`]));
  yield `  subgraph cluster_${index} {`;
  yield `    label=${quote([title])};`;
  for (const box of boxes) yield `    ${names.get(box.id)} [label=${textOf(box)}, ${STYLES[box.kind]}];`;
  for (const { from, to, labels } of arrows) {
    const label = labels.length === 0 ? "" : ` [label=${quote(labels)}]`;
    yield `    ${names.get(from)} -> ${names.get(to)}${label};`;
  }
  yield "  }";
}

function textOf(box: Box): string {
  return quote([headingOf(box), ...box.notes]);
}

/** Lines as one string. Graphviz takes a backslash and what follows for a sign of its own, and `&` for an entity. */
function quote(lines: readonly string[]): string {
  const escaped = lines.map((line) => line.replaceAll("&", "&amp;").replace(/["\\]/g, "\\$&"));
  return `"${escaped.join("\\n")}"`;
}
