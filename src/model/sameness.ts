// Replaces values by equal previous values, so that later code can compare by identity.

/** Do both lists hold the same, in the same order? Without `same`, items are compared by identity. */
export function sameList<T>(a: readonly T[], b: readonly T[], same: (a: T, b: T) => boolean = Object.is): boolean {
  return a === b || (a.length === b.length && a.every((item, at) => sameAt(item, b[at], same)));
}

/** The value we had if it equals the new one, else the new one. */
export function keep<T>(before: T | undefined, now: T, same: (a: T, b: T) => boolean): T {
  return before !== undefined && same(before, now) ? before : now;
}

function sameAt<T>(item: T, other: T | undefined, same: (a: T, b: T) => boolean): boolean {
  return other !== undefined && same(item, other);
}
