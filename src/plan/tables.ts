// Which chains of one table differ, and what makes them right?
import type { Chain, Chains, TableName } from "../state/kernel-state.ts";
import { isOurChain } from "../state/ownership.ts";
import { targetOf } from "../state/rule.ts";
import type { KeptChain, TableChange } from "./plan.ts";

/** One table as it should be and as it is. */
export interface TablePair {
  readonly table: TableName;
  readonly wanted: Chains;
  readonly actual: Chains;
  /** Lines of all jumps that are ours to take out of built-in chains. */
  readonly jumps: ReadonlySet<string>;
}

/** The change that makes the table right, absent where it is, and the chains that somebody else's rules keep alive. */
export function diffTable(pair: TablePair): { readonly change?: TableChange; readonly kept: readonly KeptChain[] } {
  const rewritten = [...pair.wanted.values()].filter((chain) => isToBeWritten(chain, pair.actual.get(chain.name)));
  const stale = [...pair.actual.keys()].filter((name) => isOurChain(pair.table, name) && !pair.wanted.has(name));
  const kept = keptAlive(pair, new Set(stale));
  const keptNames = new Set(kept.map(({ chain }) => chain));
  const remove = stale.filter((name) => !keptNames.has(name)).sort();
  const emptied = [...keptNames].filter((name) => pair.actual.get(name)?.rules.length !== 0);
  const change: TableChange = {
    table: pair.table,
    clear: [...rewritten.map(({ name }) => name), ...emptied, ...remove].sort(),
    rules: [
      ...unwantedJumps(pair),
      ...rewritten.sort(byName).flatMap((chain) => chain.rules.map(({ line }) => line)),
      ...missingJumps(pair),
    ],
    remove,
  };
  return change.clear.length + change.rules.length === 0 ? { kept } : { change, kept };
}

function isToBeWritten(wanted: Chain, actual: Chain | undefined): boolean {
  if (wanted.hold === "built-in") return false;
  if (!actual) return true;
  return wanted.hold === "ours" && !sameRules(wanted, actual);
}

function sameRules(a: Chain, b: Chain): boolean {
  return a.rules.length === b.rules.length && a.rules.every((rule, index) => rule.line === b.rules[index]?.line);
}

/** Inserted at the head one by one, from the last to the first, they stand as a fresh node shows them. */
function missingJumps({ wanted, actual }: TablePair): readonly string[] {
  return builtIn(wanted).flatMap(({ name, rules }) => {
    const present = new Set(actual.get(name)?.rules.map(({ line }) => line));
    const missing = rules.filter(({ line }) => !present.has(line));
    return missing.toReversed().map(({ line }) => `-I${line.slice(2)}`);
  });
}

/** Deleted by what they say, never by number, so that nobody else's rule can be hit. */
function unwantedJumps({ wanted, actual, jumps }: TablePair): readonly string[] {
  return builtIn(actual).flatMap(({ name, rules }) => {
    const keep = new Set(wanted.get(name)?.rules.map(({ line }) => line));
    return rules.filter(({ line }) => jumps.has(line) && !keep.has(line)).map(({ line }) => `-D${line.slice(2)}`);
  });
}

/** Stale chains that a rule leads into which is not ours to take away. */
function keptAlive(pair: TablePair, stale: ReadonlySet<string>): readonly KeptChain[] {
  const { table, wanted, actual, jumps } = pair;
  const kept = new Map<string, KeptChain>();
  for (const chain of actual.values()) {
    if (stale.has(chain.name) || wanted.get(chain.name)?.hold === "ours") continue;
    for (const { line } of chain.rules) {
      const target = targetOf(line);
      if (target === undefined || !stale.has(target)) continue;
      if (chain.hold === "built-in" && jumps.has(line)) continue;
      kept.set(target, { table, chain: target, rule: line });
    }
  }
  return [...kept.values()];
}

function builtIn(chains: Chains): readonly Chain[] {
  return [...chains.values()].filter((chain) => chain.hold === "built-in");
}

function byName(a: Chain, b: Chain): number {
  return a.name < b.name ? -1 : 1;
}
