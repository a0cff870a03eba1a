// In which column does each box stand?
import { type Arrow, arrowsByOrigin, type Box, type Graph } from "../graph.ts";
import { known } from "../known.ts";

export interface Ranks {
  /** Column by the id of the box, from 0. */
  readonly of: ReadonlyMap<string, number>;
  /** Arrows that lead back, where arrows make a ring. */
  readonly backward: ReadonlySet<Arrow>;
}

/**
 * Columns by the longest way to each box: one further than the furthest of those that lead to it. Endpoints share the
 * last column of theirs, and what leads to nothing else stands right before it.
 */
export function rankBoxes({ boxes, arrows }: Graph): Ranks {
  const out = arrowsByOrigin(arrows);
  const { backward, order } = searchDepthFirst(
    boxes.map(({ id }) => id),
    out,
  );
  const ranks = new Map(order.map((id) => [id, 0]));
  for (const id of order) {
    const next = known(ranks, id) + 1;
    for (const arrow of out.get(id) ?? []) {
      if (!backward.has(arrow)) ranks.set(arrow.to, Math.max(next, known(ranks, arrow.to)));
    }
  }
  const ends = new Set(boxes.filter(isEnd).map(({ id }) => id));
  const last = Math.max(0, ...[...ends].map((id) => known(ranks, id)));
  for (const id of ends) if (!out.has(id)) ranks.set(id, last);
  for (const [id, arrows] of out) if (arrows.every(({ to }) => ends.has(to) && !out.has(to))) ranks.set(id, last - 1);
  return { of: ranks, backward };
}

function isEnd({ kind }: Box): boolean {
  return kind === "endpoint" || kind === "crowd";
}

/** Every box before those that its arrows lead to, but for arrows that lead back to where the search came from. */
function searchDepthFirst(ids: readonly string[], out: ReadonlyMap<string, readonly Arrow[]>) {
  const backward = new Set<Arrow>();
  const open = new Set<string>();
  const left = new Set<string>();
  const visit = (id: string) => {
    open.add(id);
    for (const arrow of out.get(id) ?? []) {
      if (open.has(arrow.to)) backward.add(arrow);
      else if (!left.has(arrow.to)) visit(arrow.to);
    }
    open.delete(id);
    left.add(id);
  };
  for (const id of ids) if (!left.has(id)) visit(id);
  return { backward, order: [...left].reverse() };
}
