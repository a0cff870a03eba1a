// How is a chain that all Services share brought up to date without writing it whole?
import type { ListChanges } from "../paged-list.ts";
import type { Fragment, KernelState } from "../state/kernel-state.ts";
import { tailOf } from "../state/rule.ts";
import { countShare, countShares, linesOf, type SharedChain } from "../state/shares.ts";

/**
 * Lines that take out the shares that changed and put the new ones in, at their places in the order of the fragments.
 * What goes is named by what it says. Places are only right while the chain is as the fragments before say it is.
 */
export function shareEdits(
  chain: SharedChain,
  wanted: KernelState,
  { come, gone, pages }: ListChanges<Fragment>,
): readonly string[] {
  const before = new Map(gone.map((fragment) => [fragment.key, linesOf(fragment, chain)]));
  const after = new Map(come.map((fragment) => [fragment.key, linesOf(fragment, chain)]));
  for (const [key, lines] of after) {
    if (lines.join("\n") !== (before.get(key) ?? []).join("\n")) continue;
    before.delete(key);
    after.delete(key);
  }
  const out = [...before.values()].flat().map((line) => `-D${line.slice(2)}`);
  return [...out, ...insertions(chain, wanted, { shares: after, pages })];
}

interface Shares {
  /** New shares, by the key of the fragment. */
  readonly shares: ReadonlyMap<string, readonly string[]>;
  /** Where their fragments are: all other pages are only counted. */
  readonly pages: ListChanges<Fragment>["pages"];
}

/** From the top down: what stands above a place is complete when its turn comes. */
function insertions(chain: SharedChain, wanted: KernelState, { shares, pages }: Shares): readonly string[] {
  const edits: string[] = [];
  let left = [...shares.values()].filter((lines) => lines.length > 0).length;
  let place = 1 + (wanted.tables.get(chain.table)?.get(chain.name)?.rules.length ?? 0);
  for (const page of wanted.fragments.pages) {
    if (left === 0) break;
    if (!pages.has(page)) {
      place += countShares(page, chain);
      continue;
    }
    for (const fragment of page) {
      const lines = shares.get(fragment.key);
      if (!lines) place += countShare(fragment, chain);
      else if (lines.length > 0) left--;
      for (const line of lines ?? []) edits.push(`-I ${chain.name} ${place++}${tailOf(line)}`);
    }
  }
  return edits;
}
