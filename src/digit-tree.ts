// How is one thing among very many found in a few steps, and a change made in one place?

/** What is kept: its key is a row of octal digits, as many in all items of a tree. */
export interface Keyed {
  readonly key: string;
}

/** A few items, or all that have the same key. In order. */
export interface Leaf<T> {
  readonly kind: "leaf";
  readonly items: readonly T[];
}

/** Too many for a leaf. What is below has `prefix` in front of its key, and is apart by the digit behind that. */
export interface Branch<T> {
  readonly kind: "branch";
  /** The longest that all keys have in common. */
  readonly prefix: string;
  /** By the next digit; at least two. */
  readonly children: ReadonlyMap<string, Tree<T>>;
  readonly size: number;
}

/**
 * A tree that never changes; versions of it share what is alike. It follows from its items alone, however it came about.
 */
export type Tree<T> = Leaf<T> | Branch<T>;

/** How a tree is laid out. */
export interface Shape<T> {
  /** Most items of a leaf, unless all have the same key. */
  readonly most: number;
  /** Order within a leaf; 0 for one and the same. */
  readonly compare: (a: T, b: T) => number;
}

/** What changes in a tree: first goes what is in it. */
export interface TreeChange<T> {
  readonly gone: readonly T[];
  readonly come: readonly T[];
}

export const DIGITS = ["0", "1", "2", "3", "4", "5", "6", "7"] as const;

export function treeOf<T extends Keyed>(items: readonly T[], shape: Shape<T>): Tree<T> {
  const [first, ...others] = items;
  if (first === undefined || items.length <= shape.most || others.every(({ key }) => key === first.key)) {
    return { kind: "leaf", items: items.toSorted(shape.compare) };
  }
  const prefix = others.reduce((common, { key }) => commonPrefix(common, key), first.key);
  const groups = byDigit(items, prefix.length);
  return branch(
    prefix,
    DIGITS.flatMap((digit) => {
      const group = groups.get(digit);
      return group ? [[digit, treeOf(group, shape)] as const] : [];
    }),
  );
}

/** Only what a change touches is made anew. */
export function editTree<T extends Keyed>(tree: Tree<T>, change: TreeChange<T>, shape: Shape<T>): Tree<T> {
  const { gone, come } = change;
  if (gone.length === 0 && come.length === 0) return tree;
  if (tree.kind === "leaf") return treeOf([...without(tree.items, gone, shape), ...come], shape);
  const prefix = come.reduce((common, { key }) => commonPrefix(common, key), tree.prefix);
  const above = prefix.length < tree.prefix.length;
  const children = above ? new Map([[tree.prefix.charAt(prefix.length), tree]]) : tree.children;
  const [going, coming] = [byDigit(gone, prefix.length), byDigit(come, prefix.length)];
  const edited = DIGITS.flatMap((digit) => {
    const child = children.get(digit);
    const part = { gone: going.get(digit) ?? [], come: coming.get(digit) ?? [] };
    const after = child ? editTree(child, part, shape) : treeOf(part.come, shape);
    return sizeOf(after) === 0 ? [] : [[digit, after] as const];
  });
  return settled(branch(prefix, edited), shape);
}

function without<T>(items: readonly T[], gone: readonly T[], { compare }: Shape<T>): readonly T[] {
  return items.filter((item) => !gone.some((each) => compare(each, item) === 0));
}

/** Left with a few items it is a leaf, and left with one child it is that child. */
function settled<T extends Keyed>(tree: Branch<T>, shape: Shape<T>): Tree<T> {
  if (tree.size <= shape.most) return treeOf([...itemsOf(tree)], shape);
  const [only, ...others] = tree.children.values();
  return only && others.length === 0 ? only : tree;
}

export function sizeOf<T>(tree: Tree<T>): number {
  return tree.kind === "leaf" ? tree.items.length : tree.size;
}

export function* itemsOf<T>(tree: Tree<T>): Iterable<T> {
  if (tree.kind === "leaf") yield* tree.items;
  else for (const child of tree.children.values()) yield* itemsOf(child);
}

function branch<T>(prefix: string, children: readonly (readonly [string, Tree<T>])[]): Branch<T> {
  const size = children.reduce((sum, [, child]) => sum + sizeOf(child), 0);
  return { kind: "branch", prefix, children: new Map(children), size };
}

function byDigit<T extends Keyed>(items: readonly T[], place: number): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const digit = item.key.charAt(place);
    const known = groups.get(digit);
    if (known) known.push(item);
    else groups.set(digit, [item]);
  }
  return groups;
}

function commonPrefix(a: string, b: string): string {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return a.slice(0, length);
}
