// Does an edited list hold what a list made anew would, and share all that is as it was?
import fc from "fast-check";
import t from "tap";
import {
  changesBetween,
  editList,
  findItem,
  joinPages,
  mapPages,
  type PagedList,
  pagedList,
  replaceItems,
  sameItems,
} from "../src/paged-list.ts";
import { takeSeed } from "./support/seed.ts";

interface Item {
  readonly place: number;
}

const byPlace = (a: Item, b: Item) => a.place - b.place;
const items = (count: number): readonly Item[] => Array.from({ length: count }, (_, place) => ({ place: 2 * place }));
const places = (list: Iterable<Item>) => [...list].map(({ place }) => place);
const find = (list: PagedList<Item>, wanted: number) => findItem(list, ({ place }) => place - wanted);

for (const count of [0, 1, 2, 64, 65, 1000]) {
  t.test(`a list of ${count}`, async (t) => {
    const all = items(count);
    const list = pagedList(all);
    t.equal(list.length, count);
    t.strictSame(places(list), places(all));
    t.ok(
      all.every((item) => find(list, item.place) === item),
      "each is found",
    );
    t.ok(
      [-1, 1, 2 * count, 2 * count + 1].every((place) => find(list, place) === undefined),
      "and nothing else",
    );
  });
}

t.test("empty pages are left out", async (t) => {
  const [a, b] = items(2);
  if (!a || !b) return;
  const list = joinPages([[], [a], [], [b]]);
  t.strictSame(places(list), [0, 2]);
  t.equal(list.pages.length, 2);
});

t.test("an edit leaves all pages alone but those that it touches", async (t) => {
  const before = pagedList(items(10_000));
  const now = editList(before, { gone: [], come: [{ place: 9_999 }] }, byPlace);
  t.equal(now.length, 10_001);
  const { come, gone, pages } = changesBetween(now, before);
  t.strictSame([places(come), places(gone)], [[9_999], []]);
  t.ok(pages.size <= 2 && [...pages].flat().length < 200, `${pages.size} pages are new`);
  t.equal(before.length, 10_000, "the old version is as it was");
});

t.test("pages neither grow nor crumble", async (t) => {
  let list = pagedList<Item>();
  for (let place = 0; place < 2000; place++) list = editList(list, { gone: [], come: [{ place }] }, byPlace);
  t.strictSame(
    places(list),
    Array.from({ length: 2000 }, (_, place) => place),
  );
  t.ok(list.pages.length <= 64, `${list.pages.length} pages`);
  t.ok(
    list.pages.every(({ length }) => length <= 64),
    "none is long",
  );
});

t.test("the same items on other pages are no change", async (t) => {
  const all = items(100);
  const [one, other] = [pagedList(all), joinPages([all.slice(0, 3), all.slice(3)])];
  t.ok(sameItems(one, other));
  t.ok(sameItems(one, one));
  t.notOk(sameItems(one, pagedList(all.slice(1))));
  t.notOk(sameItems(one, pagedList(items(100))), "equals are not the same");
});

t.test("a page is worked on once", async (t) => {
  const remembered = new WeakMap();
  let calls = 0;
  const map = (list: PagedList<Item>) =>
    mapPages(list, remembered, (page) => {
      calls++;
      return page.map(({ place }) => ({ place: place + 1 }));
    });
  const list = pagedList(items(300));
  const first = map(list);
  const worked = calls;
  const again = map(editList(list, { gone: [], come: [{ place: 7 }] }, byPlace));
  t.ok(calls - worked <= 2, `${calls - worked} pages`);
  t.strictSame(places(changesBetween(again, first).come).includes(8), true);
  t.strictSame(places(map(list)), places(first));
});

t.test("others stand in the place of some", async (t) => {
  const list = pagedList(items(200));
  const [none, two] = [new Set([0, 100]), [{ place: 50 }, { place: 51 }]];
  const now = replaceItems(list, ({ place }) => (none.has(place) ? [] : place === 50 ? two : undefined));
  t.equal(now.length, 199);
  t.strictSame(places(changesBetween(now, list).come), [50, 51]);
  t.strictSame(places(changesBetween(now, list).gone), [0, 50, 100]);
  t.equal(
    replaceItems(list, () => undefined).pages.every((page, index) => page === list.pages[index]),
    true,
  );
});

t.test("any edits, in any order", async (t) => {
  const seed = takeSeed();
  const batches = fc.array(fc.uniqueArray(fc.nat({ max: 400 }), { maxLength: 150 }), { maxLength: 8 });
  const holds = fc.property(batches, (all) => {
    let list = pagedList<Item>();
    for (const batch of all) {
      const before = list;
      const gone = batch.flatMap((place) => find(before, place) ?? []);
      const come = batch.filter((place) => place % 3 > 0 || !find(before, place)).map((place) => ({ place }));
      list = editList(before, { gone, come }, byPlace);
      const wanted = [...[...before].filter((item) => !gone.includes(item)), ...come].sort(byPlace);
      const changes = changesBetween(list, before);
      const right =
        sameItems(list, pagedList(wanted)) &&
        places(list).join() === places(wanted).join() &&
        sameItems(pagedList(changes.come), pagedList(come.sort(byPlace))) &&
        sameItems(pagedList(changes.gone), pagedList(gone.sort(byPlace)));
      if (!right) return false;
    }
    return true;
  });
  t.match(fc.check(holds, { seed, numRuns: 200 }), { failed: false });
});
