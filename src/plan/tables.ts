// Finds the chains of one table that differ.
import type { Chain, Chains, TableName } from "../state/kernel-state.ts";
import { isOurChain } from "../state/ownership.ts";
import { targetOf } from "../state/rule.ts";
import { diffOwn, type FragmentWrite } from "./own-difference.ts";
import type { KeptChain } from "./plan.ts";
import { diffShared, type SharedDifference } from "./shared-difference.ts";
import type { TablePair } from "./table-pair.ts";

/** All that is different in one table. */
export interface TableDifference extends Pick<SharedDifference, "whole" | "index" | "edits"> {
  readonly table: TableName;
  /** Those of `whole` that are not there yet. */
  readonly fresh: ReadonlySet<string>;
  readonly own: readonly FragmentWrite[];
  /** Jumps taken out of built-in chains, and put in at the head, as lines. */
  readonly jumpsOut: readonly string[];
  readonly jumpsIn: readonly string[];
  /** Chains that are only emptied, because of `kept`. */
  readonly emptied: readonly string[];
  readonly remove: readonly string[];
  readonly kept: readonly KeptChain[];
}

export function diffTable(pair: TablePair): TableDifference {
  const shared = diffShared(pair);
  const { own, stale } = diffOwn(pair, shared.names);
  const kept = keptAlive(pair, new Set(stale));
  const keptNames = new Set(kept.map(({ chain }) => chain));
  const { whole, index, edits } = shared;
  const known = pair.actual.tables.get(pair.table);
  return {
    table: pair.table,
    ...{ whole, index, edits },
    fresh: new Set(whole.flatMap(({ name }) => (known?.has(name) ? [] : [name]))),
    own,
    jumpsOut: unwantedJumps(pair),
    jumpsIn: missingJumps(pair),
    emptied: [...keptNames].filter((name) => known?.get(name)?.rules.length !== 0),
    remove: [...stale, ...shared.remove].filter((name) => !keptNames.has(name)).sort(),
    kept,
  };
}

/** Is there anything to do? */
export function isDifferent({ whole, index, edits, own, jumpsOut, jumpsIn, ...rest }: TableDifference): boolean {
  return [whole, index, edits, own, jumpsOut, jumpsIn, rest.emptied, rest.remove].some((list) => list.length > 0);
}

/** Inserted at the head one by one, from the last to the first, they stand as a fresh node shows them. */
function missingJumps({ table, wanted, actual }: TablePair): readonly string[] {
  return builtIn(wanted.tables.get(table)).flatMap(({ name, rules }) => {
    const present = new Set(
      actual.tables
        .get(table)
        ?.get(name)
        ?.rules.map(({ line }) => line),
    );
    const missing = rules.filter(({ line }) => !present.has(line));
    return missing.toReversed().map(({ line }) => `-I${line.slice(2)}`);
  });
}

/**
 * Jumps that are not desired, and all but one of equal ones: while a table could not be read, one may have been inserted
 * twice. Deleted by their text, never by number, so that no rule of other software can be hit.
 */
function unwantedJumps({ table, wanted, actual, jumps }: TablePair): readonly string[] {
  return builtIn(actual.tables.get(table)).flatMap(({ name, rules }) => {
    const keep = new Set(
      wanted.tables
        .get(table)
        ?.get(name)
        ?.rules.map(({ line }) => line),
    );
    return rules.filter(({ line }) => jumps.has(line) && !keep.delete(line)).map(({ line }) => `-D${line.slice(2)}`);
  });
}

/** Stale chains that a rule leads into which is not ours to take away. Only what was observed can tell of such. */
function keptAlive({ table, wanted, actual, jumps }: TablePair, stale: ReadonlySet<string>): readonly KeptChain[] {
  const kept = new Map<string, KeptChain>();
  const fixed = wanted.tables.get(table);
  for (const chain of actual.tables.get(table)?.values() ?? []) {
    if (stale.has(chain.name) || isOurChain(table, chain.name) || fixed?.get(chain.name)?.hold === "ours") continue;
    for (const { line } of chain.rules) {
      const target = targetOf(line);
      if (target === undefined || !stale.has(target)) continue;
      if (chain.hold === "built-in" && jumps.has(line)) continue;
      kept.set(target, { table, chain: target, rule: line });
    }
  }
  return [...kept.values()];
}

function builtIn(chains: Chains | undefined): readonly Chain[] {
  return [...(chains?.values() ?? [])].filter((chain) => chain.hold === "built-in");
}
