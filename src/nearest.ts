// Finds the known name nearest to a misspelt one, for "did you mean" hints.

/** Edits beyond which two names are not taken for the same: a third of the name, at least two. */
function mostEdits(name: string): number {
  return Math.max(2, Math.floor(name.length / 3));
}

/**
 * The known name with the fewest edits (insertion, deletion, substitution, transposition) to `name`; the first of several.
 * Undefined where none is near. A name that only lacks its `NAMESPACE/` is near.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  let [nearest, fewest]: [string | undefined, number] = [undefined, mostEdits(name) + 1];
  for (const candidate of known) {
    const edits = candidate.endsWith(`/${name}`) ? 1 : editDistance(name, candidate, fewest);
    if (edits < fewest) [nearest, fewest] = [candidate, edits];
  }
  return nearest;
}

/** `; did you mean "demo/web"?`, or nothing where no known name is near. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? "" : `; did you mean ${JSON.stringify(nearest)}?`;
}

/** Optimal string alignment distance; any number from `limit` on where it is not below `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      const candidates = [
        Number(last[column]) + 1,
        Number(current[column - 1]) + 1,
        Number(last[column - 1]) + (same ? 0 : 1),
      ];
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) candidates.push(Number(beforeLast[column - 2]) + 1);
      current.push(Math.min(...candidates));
    }
    [beforeLast, last] = [last, current];
  }
  return Number(last[b.length]);
}
