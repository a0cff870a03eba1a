// Which chains of an index lead to the rules of one fragment?
import type { Tree } from "../digit-tree.ts";
import { indexChains } from "./index-chains.ts";
import { type IndexedChain, indexTree, pruneTree, type Share } from "./index-tree.ts";
import type { Chain, Fragment, KernelState, Rule, TableName } from "./kernel-state.ts";

export interface IndexRules {
  /** In the shared chain itself. */
  readonly root: readonly Rule[];
  /** Chains below it, as far as ways part there or come to an end, each with the chains that are passed before it. */
  readonly below: readonly { readonly chain: Chain; readonly passed: readonly string[] }[];
}

/** The way of all that the fragment has in the chain. A chain that leads on to one other alone is only named. */
export function indexRulesOf(
  { fragments }: KernelState,
  table: TableName,
  { chain, fragment }: { readonly chain: IndexedChain; readonly fragment: Fragment },
): IndexRules {
  const passed = new Map<string, readonly string[]>();
  const own = pruneTree(indexTree(table, chain, fragments), new Set([fragment.key]));
  const { root, below } = indexChains({ ...chain, rules: [], last: [] }, shorten(own, chain, passed));
  return { root: root.rules, below: below.map((each) => ({ chain: each, passed: passed.get(each.name) ?? [] })) };
}

/** Notes, by chain, which chains above it are left out. */
function shorten(tree: Tree<Share>, chain: IndexedChain, passed: Map<string, readonly string[]>): Tree<Share> {
  if (tree.kind === "leaf") return tree;
  const children = [...tree.children].map(([digit, child]) => {
    const names: string[] = [];
    let [place, below] = [tree.prefix + digit, child];
    for (let only = onlyWay(below); only; only = onlyWay(below)) {
      names.push(chain.index.chainOf(place));
      [place, below] = only;
    }
    if (names.length > 0) passed.set(chain.index.chainOf(place), names);
    return [place.slice(tree.prefix.length), shorten(below, chain, passed)] as const;
  });
  return { ...tree, children: new Map(children) };
}

/** Where a tree leads on to one place alone. */
function onlyWay(tree: Tree<Share>): readonly [place: string, tree: Tree<Share>] | undefined {
  if (tree.kind === "leaf" || tree.children.size > 1) return undefined;
  const [only] = tree.children;
  return only && [tree.prefix + only[0], only[1]];
}
