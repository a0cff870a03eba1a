// Which fragments came, and which went? By identity: what is the same object is not looked into.
import type { Fragment } from "../state/kernel-state.ts";

export interface ChangedFragments {
  /** New, or with another content than before. Sorted as the state they are from. */
  readonly come: readonly Fragment[];
  /** Gone, or with the content that they had before. */
  readonly gone: readonly Fragment[];
}

/** The work grows with what lies between the first and the last change, by one comparison of pointers each. */
export function changedFragments(wanted: readonly Fragment[], actual: readonly Fragment[]): ChangedFragments {
  let start = 0;
  while (start < wanted.length && wanted[start] === actual[start]) start++;
  let back = 0;
  const most = Math.min(wanted.length, actual.length) - start;
  while (back < most && wanted[wanted.length - 1 - back] === actual[actual.length - 1 - back]) back++;
  const come = wanted.slice(start, wanted.length - back);
  const gone = actual.slice(start, actual.length - back);
  const stayed = intersection(come, gone);
  return {
    come: come.filter((fragment) => !stayed.has(fragment)),
    gone: gone.filter((fragment) => !stayed.has(fragment)),
  };
}

function intersection(a: readonly Fragment[], b: readonly Fragment[]): ReadonlySet<Fragment> {
  const known = new Set(a);
  return new Set(b.filter((fragment) => known.has(fragment)));
}
