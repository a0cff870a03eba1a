// Which of the fragments that changed have other shares in a table's chains than before?
import type { ListChanges } from "../paged-list.ts";
import type { Fragment, Shares, TableName } from "../state/kernel-state.ts";
import { sameLines } from "../state/rule.ts";
import { sharesOfOne } from "../state/shares.ts";

/** Most changes are of endpoints, and leave the shares of their ServicePorts as they are. */
export function shareChanges(changed: ListChanges<Fragment>, table: TableName): ListChanges<Fragment> {
  const gone = new Map(changed.gone.map((fragment) => [fragment.key, fragment]));
  const come = changed.come.filter((fragment) => {
    const before = gone.get(fragment.key);
    if (!before || !sameShares(sharesOfOne(fragment, table), sharesOfOne(before, table))) return true;
    gone.delete(fragment.key);
    return false;
  });
  return { come, gone: [...gone.values()], pages: changed.pages };
}

function sameShares(a: Shares, b: Shares): boolean {
  return a.size === b.size && [...a].every(([chain, rules]) => sameLines(rules, b.get(chain) ?? []));
}
