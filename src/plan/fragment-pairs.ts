// Which fragment that came stands beside which one that went?
import type { ListChanges } from "../paged-list.ts";
import type { Fragment } from "../state/kernel-state.ts";

/** A fragment and the one of its key before; one of the two where a ServicePort is new, or is gone. */
export interface FragmentPair {
  readonly before?: Fragment;
  readonly after?: Fragment;
}

/** All that came, in its order, and then what went without another one of its key. Each table asks, and keys are texts. */
export function fragmentPairs(changed: ListChanges<Fragment>): readonly FragmentPair[] {
  const pairs = PAIRS.get(changed) ?? pairUp(changed);
  PAIRS.set(changed, pairs);
  return pairs;
}

const PAIRS = new WeakMap<ListChanges<Fragment>, readonly FragmentPair[]>();

function pairUp({ come, gone }: ListChanges<Fragment>): readonly FragmentPair[] {
  const left = new Map(gone.map((fragment) => [fragment.key, fragment]));
  const pairs = come.map((after): FragmentPair => {
    const { key } = after;
    const before = left.get(key);
    left.delete(key);
    return before ? { before, after } : { after };
  });
  return [...pairs, ...[...left.values()].map((before) => ({ before }))];
}
