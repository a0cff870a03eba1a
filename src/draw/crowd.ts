// What is drawn of a box with a thousand arrows?
import { type Arrow, arrowsByOrigin, type Box, type Graph } from "./graph.ts";

/** So many arrows of one box are drawn one by one. */
export const SHOWN = 40;

/** The graph in which the arrows of a box beyond the fortieth are one, to a box that says how many they are. */
export function crowdArrows(graph: Graph): Graph {
  const hidden = new Set<Arrow>();
  const crowds: Crowd[] = [];
  for (const arrows of arrowsByOrigin(graph.arrows).values()) {
    const rest = arrows.slice(SHOWN);
    const [first] = rest;
    if (first) crowds.push(crowdOf(first, rest));
    for (const arrow of rest) hidden.add(arrow);
  }
  const shown = graph.arrows.filter((arrow) => !hidden.has(arrow));
  const reached = boxesReached(graph, hidden);
  const stays = ({ arrow: { from } }: Crowd) => reached.has(from);
  return {
    title: graph.title,
    boxes: [...graph.boxes.filter(({ id }) => reached.has(id)), ...crowds.filter(stays).map(({ box }) => box)],
    arrows: [...shown.filter(({ from }) => reached.has(from)), ...crowds.filter(stays).map(({ arrow }) => arrow)],
  };
}

interface Crowd {
  readonly box: Box;
  readonly arrow: Arrow;
}

/** Labels are kept where those of all are the same. */
function crowdOf({ from, labels }: Arrow, arrows: readonly Arrow[]): Crowd {
  const same = arrows.every((arrow) => arrow.labels.join("\n") === labels.join("\n"));
  const each = same ? labels.map((label) => `${label} each`) : [];
  const box: Box = { id: `${from} crowd`, kind: "crowd", caption: "", name: `+ ${arrows.length} more`, notes: [] };
  return { box, arrow: { from, to: box.id, labels: each } };
}

/** All boxes but those that now nothing leads to any more. */
function boxesReached({ boxes, arrows }: Graph, hidden: ReadonlySet<Arrow>): ReadonlySet<string> {
  const behind = follow(new Set([...hidden].map(({ to }) => to)), arrows);
  const before = boxes.map(({ id }) => id).filter((id) => !behind.has(id));
  return follow(
    new Set(before),
    arrows.filter((arrow) => !hidden.has(arrow)),
  );
}

/** These boxes, and all that arrows lead to from them. */
function follow(from: ReadonlySet<string>, arrows: readonly Arrow[]): ReadonlySet<string> {
  const out = arrowsByOrigin(arrows);
  const reached = new Set(from);
  // What is added while a set is gone through is gone through as well.
  for (const id of reached) for (const { to } of out.get(id) ?? []) reached.add(to);
  return reached;
}
