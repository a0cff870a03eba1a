// Is everything of a placed graph on the page, and clear of everything else?
import fc from "fast-check";
import t from "tap";
import type { Arrow, Box, Graph } from "../../../src/draw/graph.ts";
import { type PlacedArrow, type Placement, placeGraph, type Stretch } from "../../../src/draw/layout/placement.ts";
import { SIZES, textWidth } from "../../../src/draw/layout/text-size.ts";

const seed = Number(process.env.FAIRLEAD_SEED ?? Date.now() % 2 ** 31);
t.comment(`seed ${seed} (FAIRLEAD_SEED=${seed} runs the same again)`);

/** The whole way of an arrow, its ends as stretches without length. */
function wayOf({ start, stretches, end }: PlacedArrow): readonly Stretch[] {
  const point = ({ x, y }: { readonly x: number; readonly y: number }) => ({ from: x, to: x, y });
  return [point(start), ...stretches, point(end)];
}

interface Area {
  readonly what: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

function box(id: string, notes: readonly string[] = [], kind: Box["kind"] = "chain"): Box {
  return { id, kind, caption: "nat", name: `KUBE-${id}`, notes };
}

function graphOf(arrows: readonly string[]): Graph {
  const parsed = arrows.map((text): Arrow => {
    const [from = "", to = "", ...labels] = text.split(" ");
    return { from, to, labels };
  });
  const ids = new Set(parsed.flatMap(({ from, to }) => [from, to]));
  return { title: "", boxes: [...ids].map((id) => box(id)), arrows: parsed };
}

const text = fc.string({ maxLength: 30 });

/** Arrows may lead anywhere, in rings and to their own box too. */
const graphs: fc.Arbitrary<Graph> = fc.integer({ min: 1, max: 12 }).chain((count) => {
  const id = fc.integer({ min: 0, max: count - 1 }).map(String);
  return fc.record({
    title: text,
    boxes: fc.tuple(
      ...Array.from({ length: count }, (_, index) =>
        fc.record({
          id: fc.constant(String(index)),
          kind: fc.constantFrom("hook" as const, "chain" as const, "endpoint" as const, "crowd" as const),
          caption: text,
          name: text,
          notes: fc.array(text, { maxLength: 4 }),
        }),
      ),
    ),
    arrows: fc.array(fc.record({ from: id, to: id, labels: fc.array(text, { maxLength: 3 }) }), { maxLength: 30 }),
  });
});

function areasOf({ boxes, arrows }: Placement): readonly Area[] {
  const labels = arrows.flatMap(({ arrow, label }, index) =>
    arrow.labels.length === 0
      ? []
      : {
          what: `label ${index}`,
          left: label.x,
          right: label.x + textWidth(arrow.labels, SIZES.label),
          top: label.y - arrow.labels.length * SIZES.label.line,
          bottom: label.y,
        },
  );
  const placed = boxes.map(({ box: { id }, x, y, width, height }) => {
    return { what: `box ${id}`, left: x, right: x + width, top: y, bottom: y + height };
  });
  return [...placed, ...labels];
}

function overlap(one: Area, other: Area): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

function findFault(placement: Placement): string | undefined {
  const areas = areasOf(placement);
  for (const [index, area] of areas.entries()) {
    const { what, left, right, top, bottom } = area;
    if (left < 0 || top < 0 || right > placement.width || bottom > placement.height) return `${what} is off the page`;
    const other = areas.slice(index + 1).find((next) => overlap(area, next));
    if (other) return `${what} touches ${other.what}`;
  }
  for (const [index, placed] of placement.arrows.entries()) {
    const { arrow } = placed;
    for (const { from, to, y } of wayOf(placed)) {
      const line = { what: "", left: Math.min(from, to), right: Math.max(from, to), top: y - 0.5, bottom: y + 0.5 };
      const hit = areas.find((area) => area.what !== `label ${index}` && overlap(line, area));
      if (hit) return `${arrow.from} -> ${arrow.to} crosses ${hit.what}`;
      if (y < 0 || y > placement.height) return `${arrow.from} -> ${arrow.to} is off the page`;
    }
  }
  return undefined;
}

t.test("nothing overlaps and nothing is off the page", async () => {
  fc.assert(
    fc.property(graphs, (graph) => {
      const fault = findFault(placeGraph(graph));
      if (fault !== undefined) throw new Error(fault);
    }),
    { seed, numRuns: 300 },
  );
});

t.test("every box is there once, and every arrow that leads to another box", async () => {
  fc.assert(
    fc.property(graphs, (graph) => {
      const { boxes, arrows } = placeGraph(graph);
      const drawn = graph.arrows.filter(({ from, to }) => from !== to);
      if (boxes.length !== graph.boxes.length || arrows.length !== drawn.length) throw new Error("not all is there");
    }),
    { seed, numRuns: 100 },
  );
});

t.test("arrows end at the edges of their boxes", async () => {
  fc.assert(
    fc.property(graphs, (graph) => {
      const { boxes, arrows } = placeGraph(graph);
      const places = new Map(boxes.map((placed) => [placed.box.id, placed]));
      for (const { arrow, start, end: head } of arrows) {
        for (const [id, end] of [
          [arrow.from, start],
          [arrow.to, head],
        ] as const) {
          const place = places.get(id);
          if (!place) throw new Error("no such end");
          const { x, y, width, height } = place;
          if (![x, x + width].includes(end.x) || end.y !== y + height / 2) throw new Error(`apart from box ${id}`);
        }
      }
    }),
    { seed, numRuns: 100 },
  );
});

t.test("a chain of arrows goes from left to right, level all the way", async (t) => {
  const { boxes, arrows } = placeGraph(graphOf(["a b one", "b c", "c d three"]));
  const lefts = boxes.map(({ x }) => x);
  t.strictSame(
    lefts,
    lefts.toSorted((a, b) => a - b),
  );
  t.equal(new Set(arrows.flatMap((arrow) => wayOf(arrow).map(({ y }) => y))).size, 1);
});

t.test("arrows that need not cross do not", async (t) => {
  const { boxes } = placeGraph(graphOf(["a c", "b d", "a e", "b f"]));
  const rows = new Map(boxes.map(({ box: { id }, y }) => [id, y]));
  const inOrder = (...ids: readonly string[]) => {
    const heights = ids.map((id) => rows.get(id) ?? 0);
    return heights.every((height, index) => index === 0 || height > (heights[index - 1] ?? 0));
  };
  t.ok(inOrder("c", "e", "d") && inOrder("e", "d", "f"));
});

t.test("endpoints share a column, and what chooses among them stands before it", async (t) => {
  const graph = graphOf(["hook long", "long svc", "svc end1", "hook svl", "svl end2"]);
  const boxes = graph.boxes.map((one) => (one.id.startsWith("end") ? { ...one, kind: "endpoint" as const } : one));
  const lefts = new Map(placeGraph({ ...graph, boxes }).boxes.map(({ box: { id }, x }) => [id, x]));
  t.equal(lefts.get("end1"), lefts.get("end2"));
  t.equal(lefts.get("svc"), lefts.get("svl"));
});

t.test("an arrow that closes a ring is drawn back", async (t) => {
  const { arrows } = placeGraph(graphOf(["a b", "b c", "c a"]));
  const back = arrows.find(({ arrow }) => arrow.from === "c");
  t.ok(back && back.start.x > back.end.x);
});

t.test("parts that nothing joins stand one below the other", async (t) => {
  const { boxes } = placeGraph(graphOf(["a b", "c d"]));
  const [a, b, c, d] = boxes.map(({ y }) => y);
  t.equal(a, b);
  t.equal(c, d);
  t.ok((c ?? 0) > (a ?? 0));
});

t.test("nothing at all needs no room", async (t) => {
  t.strictSame(placeGraph({ title: "", boxes: [], arrows: [] }), { width: 0, height: 0, boxes: [], arrows: [] });
});

t.test("an arrow to nowhere is a fault of who asks", async (t) => {
  const arrows = [{ from: "a", to: "b", labels: [] }];
  t.throws(() => placeGraph({ title: "", boxes: [box("a")], arrows }), {
    name: "RangeError",
    message: "there is no b",
  });
});
