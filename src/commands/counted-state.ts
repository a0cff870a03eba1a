// How far is a comparison of what is wanted with something else?
import { joinPages } from "../paged-list.ts";
import type { Fragment, KernelState } from "../state/kernel-state.ts";
import type { Progress } from "./progress.ts";

/** The same state; whoever goes through the chains of its fragments shows how many of their rules, about, are done. */
export function countedState(state: KernelState, progress: Progress): KernelState {
  const { pages } = state.fragments;
  const total = pages.flat().reduce((sum, { size }) => sum + size, 0);
  const done = new Set<Fragment>();
  let rules = 0;
  const counted = (fragment: Fragment): Fragment => ({
    key: fragment.key,
    size: fragment.size,
    shares: (table) => fragment.shares(table),
    ipvs: () => fragment.ipvs(),
    chains: (table) => {
      const chains = fragment.chains(table);
      // Chains may be asked for more than once.
      if (chains.length > 0 && !done.has(fragment)) {
        done.add(fragment);
        rules += fragment.size;
      }
      progress.show(() => `compared ${rules} of ${total} rules`);
      return chains;
    },
  });
  return { ...state, fragments: joinPages(pages.map((page) => page.map(counted))) };
}
