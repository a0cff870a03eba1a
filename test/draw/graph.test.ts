// Are several arrows between the same two boxes one arrow?
import t from "tap";
import { type Box, mergeGraph } from "../../src/draw/graph.ts";

const box = (id: string): Box => ({ id, kind: "chain", caption: "", name: id, notes: [] });

t.test("labels are put together, each once, and not more than fit", async (t) => {
  const arrow = (to: string, ...labels: readonly string[]) => ({ from: "a", to, labels });
  const many = Array.from({ length: 20 }, (_, index) => arrow("c", `from 10.0.${index}.0/24`));
  const { boxes, arrows } = mergeGraph({
    title: "t",
    boxes: [box("a"), box("b"), box("a"), box("c")],
    arrows: [arrow("b", "x"), ...many, arrow("b", "y"), arrow("b", "x")],
  });
  t.strictSame(
    boxes.map(({ id }) => id),
    ["a", "b", "c"],
  );
  t.strictSame(arrows[0], arrow("b", "x", "y"));
  t.equal(arrows.length, 2);
  t.equal(arrows[1]?.labels.at(-1), "+ 13 more");
});
