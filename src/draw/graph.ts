// What is on a picture? Boxes, and arrows between them.
import { distinctTexts, shorten } from "./lines.ts";

/**
 * What a box stands for; it decides the colour.
 * - `hook`: where packets come in, a built-in chain.
 * - `server`: a virtual server.
 * - `endpoint`: a good end, also a real server.
 * - `refusal`: dropped or rejected.
 * - `stop`: an end that is not known.
 * - `crowd`: many that are not drawn one by one.
 */
export type BoxKind = "hook" | "chain" | "set" | "server" | "endpoint" | "refusal" | "stop" | "crowd";

export interface Box {
  /** Unique in its graph. It is not shown. */
  readonly id: string;
  readonly kind: BoxKind;
  /** A word or two in front of the name, such as the table of a chain; may be empty. */
  readonly caption: string;
  readonly name: string;
  /** Lines below the name. */
  readonly notes: readonly string[];
}

/** From one box to another, by their ids. One to its own box is not drawn. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
  /** Lines; none is fine. */
  readonly labels: readonly string[];
}

/** Boxes and arrows are drawn in the order in which they stand, as far as that makes no arrows cross. */
export interface Graph {
  readonly title: string;
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
}

/** Arrows by the box they come from, in order. */
export function arrowsByOrigin(arrows: readonly Arrow[]): ReadonlyMap<string, readonly Arrow[]> {
  const groups = new Map<string, Arrow[]>();
  for (const arrow of arrows) {
    const group = groups.get(arrow.from);
    if (group) group.push(arrow);
    else groups.set(arrow.from, [arrow]);
  }
  return groups;
}

/** What stands on the first line of a box. */
export function headingOf({ caption, name }: Box): string {
  return caption === "" ? name : `${caption} ${name}`;
}

/** Every box once, and of arrows from one box to the same other one, the first, with the labels of all. */
export function mergeGraph({ title, boxes, arrows }: Graph): Graph {
  const merged = new Map<string, Arrow[]>();
  for (const arrow of arrows) {
    const key = JSON.stringify([arrow.from, arrow.to]);
    const same = merged.get(key);
    if (same) same.push(arrow);
    else merged.set(key, [arrow]);
  }
  return {
    title,
    boxes: [...new Map(boxes.map((box) => [box.id, box])).values()],
    arrows: [...merged.values()].flatMap((same) => {
      const labels = shorten(distinctTexts(same.map((arrow) => arrow.labels)));
      return same.slice(0, 1).map(({ from, to }) => ({ from, to, labels }));
    }),
  };
}
