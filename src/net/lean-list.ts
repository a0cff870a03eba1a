// How do tens of thousands of short lists take little room?

/** The empty list. */
const NO_ITEMS: readonly never[] = [];

/**
 * The list for keeping. V8 leaves room for 16 more items behind whatever is appended to, filtered or flattened, and
 * most lists of a cluster have one; an empty one is the one empty list: each endpoint has two.
 */
export function lean<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? NO_ITEMS : list.slice();
}
