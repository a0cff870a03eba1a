// Is a crowd drawn as one box, and nothing else lost?
import t from "tap";
import { crowdArrows } from "../../src/draw/crowd.ts";
import type { Arrow, Box, Graph } from "../../src/draw/graph.ts";

function box(id: string): Box {
  return { id, kind: "chain", caption: "nat", name: id, notes: [] };
}

/** A box `svc` with arrows to `count` others, each of which leads to an end of its own. */
function fan(count: number, label: (index: number) => readonly string[] = () => ["1/50"]): Graph {
  const indices = Array.from({ length: count }, (_, index) => index);
  return {
    title: "fan",
    boxes: [box("hook"), box("svc"), ...indices.flatMap((index) => [box(`sep${index}`), box(`end${index}`)])],
    arrows: [
      { from: "hook", to: "svc", labels: [] },
      ...indices.flatMap((index): readonly Arrow[] => [
        { from: "svc", to: `sep${index}`, labels: label(index) },
        { from: `sep${index}`, to: `end${index}`, labels: [] },
      ]),
    ],
  };
}

t.test("forty are drawn one by one", async (t) => {
  t.strictSame(crowdArrows(fan(40)), fan(40));
});

t.test("the rest is one box, without what only they led to", async (t) => {
  const { boxes, arrows } = crowdArrows(fan(50));
  t.equal(boxes.length, 2 + 2 * 40 + 1);
  t.strictSame(boxes.at(-1), { id: "svc crowd", kind: "crowd", caption: "", name: "+ 10 more", notes: [] });
  t.strictSame(arrows.at(-1), { from: "svc", to: "svc crowd", labels: ["1/50 each"] });
  t.notOk(boxes.some(({ id }) => id === "end40"));
});

t.test("what differs is not said of all", async (t) => {
  const { arrows } = crowdArrows(fan(42, (index) => [`weight ${index}`]));
  t.strictSame(arrows.at(-1)?.labels, []);
});

t.test("what another box leads to stays", async (t) => {
  const graph = fan(50);
  const local = { from: "svl", to: "sep45", labels: ["1/1"] };
  const more = { ...graph, boxes: [...graph.boxes, box("svl")], arrows: [...graph.arrows, local] };
  const { boxes, arrows } = crowdArrows(more);
  t.ok(boxes.some(({ id }) => id === "end45"));
  t.ok(arrows.includes(local));
});

t.test("a crowd inside of a crowd is not drawn", async (t) => {
  const graph = fan(50);
  const inner = Array.from({ length: 60 }, (_, index) => ({ from: "sep45", to: `in${index}`, labels: [] }));
  const boxes = [...graph.boxes, ...inner.map(({ to }) => box(to))];
  const crowds = crowdArrows({ ...graph, boxes, arrows: [...graph.arrows, ...inner] }).boxes;
  t.strictSame(
    crowds.filter(({ kind }) => kind === "crowd").map(({ name }) => name),
    ["+ 10 more"],
  );
});
