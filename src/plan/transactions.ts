// Splits the differences of all tables into transactions, each applied by one restore.
import { pagedList } from "../paged-list.ts";
import type { Chain, KernelState, TableName } from "../state/kernel-state.ts";
import { sameLines } from "../state/rule.ts";
import { noteOwnRules } from "../state/rule-count.ts";
import { sharedChains, withoutIndexes } from "../state/whole-tables.ts";
import type { FragmentWrite } from "./own-difference.ts";
import type { TableChange } from "./plan.ts";
import { isDifferent, type TableDifference } from "./tables.ts";
import { isUrgent } from "./urgent.ts";

/** Which of the tools' two variants is at hand. */
export type Variant = "nft" | "legacy";

/**
 * About so many lines go into one restore where many have to be written. iptables-nft takes quadratic time for one large
 * restore, and the kernel goes through the whole table after each; iptables-legacy reads and replaces the whole table
 * each time, so that one restore is best.
 */
const PIECE: Readonly<Record<Variant, number>> = { nft: 6000, legacy: Number.POSITIVE_INFINITY };

/** The restores, in order. Nothing leads to a chain before it is written, and what is stale goes with the last one. */
export function transactionsOf(
  differences: readonly TableDifference[],
  wanted: KernelState,
  variant: Variant,
): readonly (readonly TableChange[])[] {
  const different = differences.filter(isDifferent);
  const lines = different.reduce((sum, { own, index }) => sum + total(own, sizeOfWrite) + total(index, sizeOfChain), 0);
  if (different.length === 0) return [];
  const size = PIECE[variant];
  if (lines <= 2 * size) return [different.map(changeOf)];
  const first = { ...wanted, fragments: pagedList([...wanted.fragments].filter(isUrgent)) };
  const parts = different.map((difference) => inParts(difference, first));
  const change = (some: readonly TableDifference[]) => some.filter(isDifferent).map(changeOf);
  const pieces = different.flatMap(({ table, own }) =>
    cut(own, size, sizeOfWrite)
      .filter((piece) => piece.some((write) => write.edits.size > 0 || namesOf(write, table).length > 0))
      .map((piece) => [ownChange(table, piece)]),
  );
  const indexes = different.flatMap(({ table, index }) =>
    cut(index, size, sizeOfChain).map((some) => [wholeChange(table, some)]),
  );
  const all = [change(parts.map(({ early }) => early)), ...pieces, ...indexes, change(parts.map(({ late }) => late))];
  return all.filter((changes) => changes.length > 0);
}

function total<T>(things: readonly T[], sizeOf: (thing: T) => number): number {
  return things.reduce((sum, thing) => sum + sizeOf(thing), 0);
}

function sizeOfWrite({ size }: FragmentWrite): number {
  return size;
}

function sizeOfChain({ rules }: Chain): number {
  return 1 + rules.length;
}

/** One thing is never cut, however large. */
function cut<T>(things: readonly T[], most: number, sizeOf: (thing: T) => number): readonly (readonly T[])[] {
  const pieces: T[][] = [];
  let left = 0;
  for (const thing of things) {
    const size = sizeOf(thing);
    const piece = left >= size ? pieces.at(-1) : undefined;
    if (piece === undefined) pieces.push([thing]);
    else piece.push(thing);
    left = (piece === undefined ? most : left) - size;
  }
  return pieces;
}

/**
 * What is done of a table before the chains of all fragments are written, and what afterwards. Chains that are not there
 * come first, for all others may lead to them, with the way to the most urgent Services alone; chains that are there
 * keep serving until the end. `first` is the wanted state with the urgent Services alone.
 */
function inParts(difference: TableDifference, first: KernelState): Record<"early" | "late", TableDifference> {
  const { table, fresh } = difference;
  const urgent = new Set(first.fragments);
  const shared = sharedChains(withoutIndexes(first, table), table);
  const whole = [...shared.values()].filter(({ name }) => fresh.has(name));
  const written = new Map(whole.map((chain) => [chain.name, chain]));
  const isDone = ({ name, rules }: Chain) => sameLines(rules, written.get(name)?.rules ?? []);
  const own = difference.own.filter(({ fragment }) => urgent.has(fragment));
  return {
    early: { ...difference, whole, index: [], own: fresh.size > 0 ? own : [], edits: [], emptied: [], remove: [] },
    late: {
      ...difference,
      whole: difference.whole.filter((chain) => !written.has(chain.name) || !isDone(chain)),
      index: [],
      own: [],
      jumpsOut: [],
      jumpsIn: [],
    },
  };
}

/** Written out when its turn comes: the first restore of a node that starts does not wait for all the others. */
function ownChange(table: TableName, own: readonly FragmentWrite[]): TableChange {
  return {
    table,
    get clear() {
      return own.flatMap((write) => namesOf(write, table)).sort();
    },
    rules: ownRules(own, table),
    remove: [],
  };
}

function namesOf({ fragment, chains }: FragmentWrite, table: TableName): readonly string[] {
  return chains === "all" ? fragment.chains(table).map(({ name }) => name) : chains;
}

/** Chains that nothing leads to yet but others of the same index, or that are in use. */
function wholeChange(table: TableName, chains: readonly Chain[]): TableChange {
  return { table, clear: chains.map(({ name }) => name).sort(), rules: linesOf(chains), remove: [] };
}

function changeOf(difference: TableDifference): TableChange {
  const { table, whole, index, own, edits, jumpsOut, jumpsIn, emptied, remove } = difference;
  const chains = [...whole.filter((chain) => !chain.edits), ...index].sort((a, b) => (a.name < b.name ? -1 : 1));
  const foundEdits = whole.flatMap((chain) => chain.edits ?? []);
  const clear = [
    ...chains.map(({ name }) => name),
    ...own.flatMap((write) => namesOf(write, table)),
    ...emptied,
    ...remove,
  ].sort();
  return {
    table,
    clear,
    rules: inTurn(jumpsOut, linesOf(chains), ownRules(own, table), foundEdits, edits, jumpsIn),
    remove,
  };
}

/** Written out anew each time it is gone through. */
function inTurn(...parts: readonly Iterable<string>[]): Iterable<string> {
  return {
    *[Symbol.iterator]() {
      for (const part of parts) yield* part;
    },
  };
}

function linesOf(chains: readonly Chain[]): readonly string[] {
  return chains.flatMap(({ rules }) => rules.map(({ line }) => line));
}

function ownRules(own: readonly FragmentWrite[], table: TableName): Iterable<string> {
  return {
    *[Symbol.iterator]() {
      for (const { fragment, chains, edits } of own) {
        for (const lines of edits.values()) yield* lines;
        if (chains !== "all" && chains.length === 0) continue;
        let written = 0;
        for (const chain of fragment.chains(table)) {
          if (chains !== "all" && !chains.includes(chain.name)) continue;
          for (const { line } of chain.rules) {
            written++;
            yield line;
          }
        }
        if (chains === "all") noteOwnRules(fragment, table, written);
      }
    },
  };
}
