// How is a long list kept, so that a change costs little and all the rest stays the same object?

/** A run of items. The same object in every version of a list in which the run is the same. */
export type Page<T> = readonly T[];

/** A list that never changes. Versions of it share the pages in which they are alike. No page is empty. */
export interface PagedList<T> extends Iterable<T> {
  readonly pages: readonly Page<T>[];
  readonly length: number;
}

/** What one version of a list has and another has not. Items are compared by identity. */
export interface ListChanges<T> {
  /** In the order of the new version. */
  readonly come: readonly T[];
  /** In the order of the old version. */
  readonly gone: readonly T[];
  /** Pages of the new version alone. All that came is in them. */
  readonly pages: ReadonlySet<Page<T>>;
}

/** Below 0: the first belongs before the second; 0: there is one place for both. */
export type Compare<T> = (a: T, b: T) => number;

/** An edit copies one page and the list of pages: about the root of the longest list we expect keeps both short. */
const PAGE = 64;

/** The items, in this order. */
export function pagedList<T>(items: Iterable<T> = []): PagedList<T> {
  return joinPages(cut([...items]));
}

/** The list of these pages; empty ones are left out. */
export function joinPages<T>(all: readonly Page<T>[]): PagedList<T> {
  const pages = all.filter(({ length }) => length > 0);
  return {
    pages,
    length: pages.reduce((sum, { length }) => sum + length, 0),
    *[Symbol.iterator]() {
      for (const page of pages) yield* page;
    },
  };
}

/** Works on page after page. What `remembered` has of a page is not worked out again. */
export function mapPages<T, U>(
  { pages }: PagedList<T>,
  remembered: WeakMap<Page<T>, Page<U>>,
  map: (page: Page<T>) => Page<U>,
): PagedList<U> {
  return joinPages(
    pages.map((page) => {
      const known = remembered.get(page) ?? map(page);
      remembered.set(page, known);
      return known;
    }),
  );
}

/** The item of a sorted list whose place `seek` is looking for: 0 there, below 0 where that is further on. */
export function findItem<T>(list: PagedList<T>, seek: (item: T) => number): T | undefined {
  return finderIn<T, undefined>(list, seek)(undefined);
}

/** As `findItem`, for many: an item that stands right behind the one that was found before it is not searched for. */
export function finderIn<T, S>(
  { pages }: PagedList<T>,
  seek: (item: T, sought: S) => number,
): (sought: S) => T | undefined {
  let [page, index]: [Page<T>, number] = [[], 0];
  return (sought) => {
    let item = page[index];
    if (item === undefined || seek(item, sought) !== 0) {
      page = pages[countWhile(pages, ([first]) => first !== undefined && seek(first, sought) <= 0) - 1] ?? [];
      index = countWhile(page, (each) => seek(each, sought) < 0);
      item = page[index];
      if (item === undefined || seek(item, sought) !== 0) return undefined;
    }
    index++;
    return item;
  };
}

/** A sorted list without what goes and with what comes. What is to go must be in the list, and not come as well. */
export function editList<T>(
  list: PagedList<T>,
  { gone, come }: Pick<ListChanges<T>, "gone" | "come">,
  compare: Compare<T>,
): PagedList<T> {
  const out = new Set(gone);
  const touched = [...gone, ...come].sort(compare);
  const old = list.length === 0 ? [[]] : list.pages;
  let from = 0;
  const pages = old.flatMap((page, index) => {
    const next = old[index + 1]?.[0];
    const to = next === undefined ? touched.length : countWhile(touched, (item) => compare(item, next) < 0);
    if (from === to) return [page];
    const items = [...page, ...touched.slice(from, to)].filter((item) => !out.has(item));
    from = to;
    return cut(items.sort(compare));
  });
  return joinPages(pages);
}

/** The list with others in the place of some items: those for which `instead` has an answer. */
export function replaceItems<T>({ pages }: PagedList<T>, instead: (item: T) => readonly T[] | undefined): PagedList<T> {
  const stays = (item: T) => instead(item) === undefined;
  return joinPages(pages.map((page) => (page.every(stays) ? page : page.flatMap((item) => instead(item) ?? [item]))));
}

/** What differs. The work grows with the number of pages, and with the items on those that differ. */
export function changesBetween<T>(now: PagedList<T>, before: PagedList<T>): ListChanges<T> {
  const pages = without(now.pages, before.pages);
  const fresh = pages.flat();
  const old = without(before.pages, now.pages).flat();
  return { come: without(fresh, old), gone: without(old, fresh), pages: new Set(pages) };
}

/** Do two lists hold the same items in the same order? Pages that both have at the same place are not gone through. */
export function sameItems<T>(a: PagedList<T>, b: PagedList<T>): boolean {
  if (a === b || a.length !== b.length) return a === b;
  let [at, index] = [0, 0];
  for (const page of a.pages) {
    let other = b.pages[at];
    if (index === 0 && page === other) {
      at++;
      continue;
    }
    for (const item of page) {
      if (item !== other?.[index]) return false;
      index++;
      if (index < other.length) continue;
      [at, index] = [at + 1, 0];
      other = b.pages[at];
    }
  }
  return true;
}

function without<T>(items: readonly T[], others: readonly T[]): readonly T[] {
  const known = new Set(others);
  return items.filter((item) => !known.has(item));
}

/** Pages of about the same length: what is left of one that had to be cut has room for more. */
function cut<T>(items: readonly T[]): readonly Page<T>[] {
  const count = Math.ceil(items.length / PAGE);
  const start = (page: number) => Math.floor((page * items.length) / count);
  return Array.from({ length: count }, (_, page) => items.slice(start(page), start(page + 1)));
}

/** How many stand in front for which it holds; it holds for none behind one for which it does not. */
export function countWhile<T>(items: ArrayLike<T>, holds: (item: T) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && holds(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}
