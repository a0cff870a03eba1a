// How is a graph written for Mermaid, as GitHub and GitLab show it?
import { type Box, type BoxKind, type Graph, headingOf } from "./graph.ts";

/** Colours with text of their own, so that they can be read on a light page and on a dark one. */
const CLASSES: Readonly<Record<BoxKind, string>> = {
  hook: "fill:#dbe4f0,stroke:#4a6285,color:#16202e",
  chain: "fill:#f4f4f1,stroke:#7d7d76,color:#1c1c1a",
  set: "fill:#ebe2f5,stroke:#775a9e,color:#271a38",
  server: "fill:#d9eef0,stroke:#2f7a83,color:#0e2b2f",
  endpoint: "fill:#dcefdc,stroke:#3d7f3f,color:#142e15",
  refusal: "fill:#f7dcda,stroke:#b0403a,color:#3d1210",
  stop: "fill:#f8ebcc,stroke:#a0761a,color:#362706",
  crowd: "fill:#f4f4f1,stroke:#7d7d76,color:#1c1c1a,stroke-dasharray:4 3",
};

/** One flowchart, each graph a part of it. */
export function* printMermaid(graphs: readonly Graph[]): Iterable<string> {
  yield "flowchart LR";
  for (const [index, graph] of graphs.entries()) yield* printPart(graph, `g${index}`);
  const kinds = new Set(graphs.flatMap(({ boxes }) => boxes.map(({ kind }) => kind)));
  for (const kind of kinds) yield `  classDef ${kind} ${CLASSES[kind]}`;
}

function* printPart({ title, boxes, arrows }: Graph, part: string): Iterable<string> {
  const names = new Map(boxes.map(({ id }, index) => [id, `${part}b${index}`]));
  yield `  subgraph ${part}["${escapeText(title)}"]`;
  for (const box of boxes) yield `    ${names.get(box.id)}["${textOf(box)}"]:::${box.kind}`;
  for (const { from, to, labels } of arrows) {
    const label = labels.length === 0 ? "" : `|"${labels.map(escapeText).join("<br/>")}"|`;
    yield `    ${names.get(from)} -->${label} ${names.get(to)}`;
  }
  yield "  end";
}

function textOf(box: Box): string {
  return [headingOf(box), ...box.notes].map(escapeText).join("<br/>");
}

/** Mermaid reads text as Markdown with entities of its own; only what means nothing there stays as it is. */
function escapeText(text: string): string {
  return text.replace(/[^A-Za-z0-9 :/,%().-]|^-|\.(?= )/gu, (letter) => `#${letter.codePointAt(0)};`);
}
