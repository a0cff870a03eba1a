// Is a tree the same however it came about, and is nothing made anew that a change does not touch?
import fc from "fast-check";
import t from "tap";
import { editTree, itemsOf, type Shape, sizeOf, type Tree, treeOf } from "../src/digit-tree.ts";
import { takeSeed } from "./support/seed.ts";

const seed = takeSeed();

interface Item {
  readonly key: string;
  readonly name: number;
}

const SHAPE: Shape<Item> = { most: 3, compare: (a, b) => a.name - b.name };

/** Digits are few, so that keys begin alike and are the same. */
const keys = fc.array(fc.constantFrom("0", "1", "7"), { minLength: 5, maxLength: 5 }).map((digits) => digits.join(""));

const items = fc.array(keys, { maxLength: 60 }).map((all): readonly Item[] => all.map((key, name) => ({ key, name })));

/** What it looks like, with nothing left out. */
function shown(tree: Tree<Item>): unknown {
  if (tree.kind === "leaf") return tree.items;
  return [tree.prefix, tree.size, [...tree.children].map(([digit, child]) => [digit, shown(child)])];
}

function nodesOf(tree: Tree<Item>): readonly Tree<Item>[] {
  return tree.kind === "leaf" ? [tree] : [tree, ...[...tree.children.values()].flatMap(nodesOf)];
}

t.test("a changed tree is the one that what is left would make", async (t) => {
  const property = fc.property(
    items,
    fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }),
    items,
    (all, goes, more) => {
      const gone = all.filter((_, index) => goes[index]);
      const stay = all.filter((_, index) => !goes[index]);
      const come = more.map(({ key, name }) => ({ key, name: name + 100 }));
      const edited = editTree(treeOf(all, SHAPE), { gone, come }, SHAPE);
      const made = treeOf([...come, ...stay], SHAPE);
      if (JSON.stringify(shown(edited)) !== JSON.stringify(shown(made))) throw new Error(JSON.stringify(shown(edited)));
      if (sizeOf(edited) !== stay.length + come.length) throw new Error(`size ${sizeOf(edited)}`);
      for (const node of nodesOf(edited)) {
        if (node.kind === "branch" && node.children.size < 2) throw new Error(`one child below ${node.prefix}`);
        if (node.kind === "leaf" && node.items.length > 3 && new Set(node.items.map(({ key }) => key)).size > 1) {
          throw new Error("a leaf that is too large");
        }
      }
    },
  );
  t.doesNotThrow(() => fc.assert(property, { seed, numRuns: 1000 }));
});

/** All five digits from 00000 on. */
function inOrder(count: number): readonly Item[] {
  return Array.from({ length: count }, (_, name) => ({ key: name.toString(8).padStart(5, "0"), name }));
}

t.test("one item more or less makes only the way to it anew", async (t) => {
  const before = treeOf(inOrder(4096), { ...SHAPE, most: 8 });
  const known = new Set(nodesOf(before));
  const changes: readonly [name: string, gone: readonly Item[], come: readonly Item[], anew: number][] = [
    ["nothing", [], [], 0],
    ["one goes", [{ key: "01234", name: 0o1234 }], [], 4],
    ["one comes", [], [{ key: "01234", name: 9999 }], 12],
    ["one comes that is unlike all others", [], [{ key: "77777", name: 9999 }], 2],
  ];
  for (const [name, gone, come, anew] of changes) {
    const after = editTree(before, { gone, come }, { ...SHAPE, most: 8 });
    t.equal(nodesOf(after).filter((node) => !known.has(node)).length, anew, name);
  }
  t.equal(editTree(before, { gone: [], come: [] }, SHAPE), before, "the same tree where nothing changed");
});

t.test("items come out by key", async (t) => {
  t.strictSame([...itemsOf(treeOf(inOrder(100).toReversed(), SHAPE))], inOrder(100));
});

t.test("however many have the same key, they stay together", async (t) => {
  const same = Array.from({ length: 20 }, (_, name) => ({ key: "01234", name }));
  t.strictSame(treeOf(same.toReversed(), SHAPE), { kind: "leaf", items: same });
});
