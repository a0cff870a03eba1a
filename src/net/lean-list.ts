// Copies lists so that they take little memory.

/** The empty list. */
const NO_ITEMS: readonly never[] = [];

/**
 * Copies a list that is kept. V8 reserves room for 16 more items in a list that was appended to, filtered or flattened,
 * while most lists of a cluster have one item. All empty lists share one array: each endpoint has two of them.
 */
export function lean<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? NO_ITEMS : list.slice();
}
