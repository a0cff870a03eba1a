// Which parts of a graph have nothing to do with one another?
import type { Graph } from "../graph.ts";
import { known } from "../known.ts";

/**
 * Graphs in which every box is joined with every other, whichever way the arrows go; in the order of their first boxes.
 * Throws a RangeError for an arrow to a box that is not there.
 */
export function splitGraph({ title, boxes, arrows }: Graph): readonly Graph[] {
  const joined = new Map<string, Set<string>>(boxes.map(({ id }) => [id, new Set([id])]));
  for (const { from, to } of arrows) {
    const [one, other] = [known(joined, from), known(joined, to)];
    if (one === other) continue;
    const [large, small] = one.size < other.size ? [other, one] : [one, other];
    for (const id of small) joined.set(id, large.add(id));
  }
  return [...new Set(joined.values())].map((ids) => ({
    title,
    boxes: boxes.filter(({ id }) => ids.has(id)),
    arrows: arrows.filter(({ from }) => ids.has(from)),
  }));
}
