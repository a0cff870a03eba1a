// Which chains is the index of a shared chain made of, and which of them does a change touch?
import type { Tree } from "../digit-tree.ts";
import type { IndexedChain, Share } from "./index-tree.ts";
import type { Chain, Rule } from "./kernel-state.ts";
import { sameLines, tailOf } from "./rule.ts";

/** A chain of the index, and where it stands in the tree. */
interface Node {
  readonly place: string;
  readonly tree: Tree<Share>;
}

/** The chain of all keys, which is the shared chain itself, and those below it: each behind those that it leads to. */
export function indexChains(
  chain: IndexedChain,
  tree: Tree<Share>,
): { readonly root: Chain; readonly below: readonly Chain[] } {
  const nodes = [...below({ place: "", tree })].reverse();
  return { root: indexRoot(chain, tree), below: nodes.map((node) => chainOf(chain, node)) };
}

/** What differs below the shared chain between two versions of its tree. */
export interface IndexDifference {
  /** Each behind those that it leads to. */
  readonly write: readonly Chain[];
  /** Names. */
  readonly remove: readonly string[];
}

/** Parts that are the same in both are not looked into. */
export function indexDifference(
  chain: IndexedChain,
  { before, now }: { readonly before: Tree<Share>; readonly now: Tree<Share> },
): IndexDifference {
  const [old, fresh] = apart(childrenOf({ place: "", tree: before }), childrenOf({ place: "", tree: now }));
  const write = [...fresh].reverse().flatMap(([place, tree]) => {
    const wanted = chainOf(chain, { place, tree });
    const known = old.get(place);
    return known && sameLines(chainOf(chain, { place, tree: known }).rules, wanted.rules) ? [] : [wanted];
  });
  const remove = [...old.keys()].filter((place) => !fresh.has(place)).map((place) => chain.index.chainOf(place));
  return { write, remove };
}

type Nodes = ReadonlyMap<string, Tree<Share>>;

/** What only one of the two has, by place; whoever leads comes first. */
function apart(before: readonly Node[], now: readonly Node[]): readonly [before: Nodes, now: Nodes] {
  const [old, fresh] = [new Map<string, Tree<Share>>(), new Map<string, Tree<Share>>()];
  let [some, others] = [before, now];
  while (some.length > 0 || others.length > 0) {
    [some, others] = [without(some, others), without(others, some)];
    for (const { place, tree } of some) old.set(place, tree);
    for (const { place, tree } of others) fresh.set(place, tree);
    [some, others] = [some.flatMap(childrenOf), others.flatMap(childrenOf)];
  }
  for (const [place, tree] of old) {
    if (fresh.get(place) !== tree) continue;
    old.delete(place);
    fresh.delete(place);
  }
  return [old, fresh];
}

function without(nodes: readonly Node[], others: readonly Node[]): readonly Node[] {
  const known = new Map(others.map(({ place, tree }) => [place, tree]));
  return nodes.filter(({ place, tree }) => known.get(place) !== tree);
}

function childrenOf({ tree }: Node): readonly Node[] {
  if (tree.kind === "leaf") return [];
  return [...tree.children].map(([digit, child]) => ({ place: tree.prefix + digit, tree: child }));
}

/** All below a node; whoever leads comes first. */
function* below(node: Node): Iterable<Node> {
  for (const child of childrenOf(node)) {
    yield child;
    yield* below(child);
  }
}

/** The shared chain itself. */
export function indexRoot(chain: IndexedChain, tree: Tree<Share>): Chain {
  const { name, hold, rules, last = [] } = chain;
  const own = rulesOf({ chain, name, back: "root" }, { place: "", tree });
  return { name, hold, rules: [...rules, ...own, ...last] };
}

function chainOf(chain: IndexedChain, node: Node): Chain {
  const name = chain.index.chainOf(node.place);
  return { name, hold: "ours", rules: rulesOf({ chain, name, back: "beyond" }, node) };
}

interface Place {
  readonly chain: IndexedChain;
  /** Of the chain that the rules are for. */
  readonly name: string;
  readonly back: "root" | "beyond";
}

function rulesOf(where: Place, { tree, place }: Node): readonly Rule[] {
  if (tree.kind === "leaf") return tree.items.map((share) => ruleOf(where, share));
  return childrenOf({ tree, place }).map((child) => where.chain.index.wayTo(where.name, child.place, where.back));
}

/** A fragment writes its rules for the shared chain itself. */
function ruleOf({ chain, name }: Place, { rule }: Share): Rule {
  return name === chain.name ? rule : { ...rule, line: `-A ${name}${tailOf(rule.line)}` };
}
