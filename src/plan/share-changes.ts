// Which of the fragments that changed have other shares in a table's chains than before?
import type { ListChanges } from "../paged-list.ts";
import type { Fragment, Shares, TableName } from "../state/kernel-state.ts";
import { sameLines } from "../state/rule.ts";
import { sharesOfOne } from "../state/shares.ts";
import { fragmentPairs } from "./fragment-pairs.ts";

/** Most changes are of endpoints, and leave the shares of their ServicePorts as they are. */
export function shareChanges(changed: ListChanges<Fragment>, table: TableName): ListChanges<Fragment> {
  const same = new Set<Fragment>();
  for (const { before, after } of fragmentPairs(changed)) {
    if (!before || !after || !sameShares(sharesOfOne(after, table), sharesOfOne(before, table))) continue;
    same.add(before).add(after);
  }
  const isOther = (fragment: Fragment) => !same.has(fragment);
  return { come: changed.come.filter(isOther), gone: changed.gone.filter(isOther), pages: changed.pages };
}

function sameShares(a: Shares, b: Shares): boolean {
  return a.size === b.size && [...a].every(([chain, rules]) => sameLines(rules, b.get(chain) ?? []));
}
