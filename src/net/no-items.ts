// How do thousands of empty lists take no room?

/** The empty list. */
const NO_ITEMS: readonly never[] = [];

/** The list, or, if it is empty, the one empty list: most Services have several, and most endpoints have two. */
export function shareEmpty<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? NO_ITEMS : list;
}
