// Which shares of fragments stand where in the index of a shared chain?
import { editTree, type Keyed, type Shape, sizeOf, type Tree, treeOf } from "../digit-tree.ts";
import type { ListChanges, PagedList } from "../paged-list.ts";
import { byTable, type Chain, type Fragment, type Index, type Rule, type TableName } from "./kernel-state.ts";
import { rulesIn } from "./shares.ts";

/** A shared chain with an index. */
export interface IndexedChain extends Chain {
  readonly index: Index;
}

export function isIndexed(chain: Chain): chain is IndexedChain {
  return chain.index !== undefined;
}

/** One rule of a fragment. It is kept, since its neighbours are written with it whenever one of them changes. */
export interface Share extends Keyed {
  /** Key of the fragment. */
  readonly owner: string;
  /** Place among the rules that the fragment has in the chain. */
  readonly nth: number;
  readonly rule: Rule;
}

/** Most rules of one chain: a packet meets about half of them at each of few levels. */
const MOST = 8;

const SHAPE: Shape<Share> = { most: MOST, compare: compareShares };

/** Of the lists whose trees were worked out, by chain. */
const KNOWN = byTable(() => new WeakMap<PagedList<Fragment>, Map<string, Tree<Share>>>());

/** The shares of all fragments in the chain. */
export function indexTree(table: TableName, chain: IndexedChain, fragments: PagedList<Fragment>): Tree<Share> {
  const known = knownTrees(table, fragments);
  const tree = known.get(chain.name) ?? treeOf(sharesIn(fragments, table, chain), SHAPE);
  known.set(chain.name, tree);
  return tree;
}

/** The same, out of what it was: the work grows with the change. */
export function indexTreeAfter(
  table: TableName,
  chain: IndexedChain,
  { before, now, changed }: { before: PagedList<Fragment>; now: PagedList<Fragment>; changed: ListChanges<Fragment> },
): Tree<Share> {
  const known = knownTrees(table, now);
  const gone = sharesIn(changed.gone, table, chain);
  const come = sharesIn(changed.come, table, chain);
  const change = { gone: withoutThose(gone, come), come: withoutThose(come, gone) };
  const tree = known.get(chain.name) ?? editTree(indexTree(table, chain, before), change, SHAPE);
  known.set(chain.name, tree);
  return tree;
}

function knownTrees(table: TableName, fragments: PagedList<Fragment>): Map<string, Tree<Share>> {
  const known = KNOWN[table].get(fragments) ?? new Map();
  KNOWN[table].set(fragments, known);
  return known;
}

function sharesIn(fragments: Iterable<Fragment>, table: TableName, { name, index }: IndexedChain): readonly Share[] {
  const shares: Share[] = [];
  for (const fragment of fragments) {
    for (const [nth, rule] of rulesIn(fragment, { table, name }).entries())
      shares.push({ key: index.keyOf(rule), owner: fragment.key, nth, rule });
  }
  return shares;
}

/** Most changes of a fragment leave its shares as they are. */
function withoutThose(shares: readonly Share[], others: readonly Share[]): readonly Share[] {
  const known = new Map(others.map((share) => [`${share.owner} ${share.nth}`, share.rule.line]));
  return shares.filter(({ owner, nth, rule }) => known.get(`${owner} ${nth}`) !== rule.line);
}

/** In the order of fragments, as in a chain without index: where two are for one place, the first of them counts. */
function compareShares(a: Share, b: Share): number {
  const [one, other] = [sortKey(a.owner), sortKey(b.owner)];
  return one === other ? a.nth - b.nth : one < other ? -1 : 1;
}

/** Namespace, name, port and protocol one after the other: what parts them comes before whatever is in them. */
function sortKey(owner: string): string {
  return owner.replace(/[/:]/g, "\0");
}

/** Only the way to the shares of some fragments, by their keys. */
export function pruneTree(tree: Tree<Share>, wanted: ReadonlySet<string>): Tree<Share> {
  if (tree.kind === "leaf") return { kind: "leaf", items: tree.items.filter(({ owner }) => wanted.has(owner)) };
  const children = [...tree.children].flatMap(([digit, child]) => {
    const pruned = pruneTree(child, wanted);
    return sizeOf(pruned) === 0 ? [] : [[digit, pruned] as const];
  });
  return { ...tree, children: new Map(children), size: children.reduce((sum, [, child]) => sum + sizeOf(child), 0) };
}

/** Rules that lead from chain to chain of the index. */
export function countWays(tree: Tree<Share>): number {
  if (tree.kind === "leaf") return 0;
  const known = WAYS.get(tree);
  if (known !== undefined) return known;
  const count = [...tree.children.values()].reduce((sum, child) => sum + countWays(child), tree.children.size);
  WAYS.set(tree, count);
  return count;
}

const WAYS = new WeakMap<Tree<Share>, number>();
