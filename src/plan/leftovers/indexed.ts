// Finds the chains, rules and sets of the Indexed layout on a node, and plans their removal beside another proxy's rules.
import { type Chain, type Chains, type KernelState, TABLES, type TableName } from "../../state/kernel-state.ts";
import { isOurChain } from "../../state/ownership.ts";
import { targetOf } from "../../state/rule.ts";
import type { KeptChain, Plan, Step, TableChange } from "../plan.ts";

/** Chains that only the Indexed layout has. */
const CHAIN = /^KUBE-IX-/;

/** Sets that only the Indexed layout has, of either family. */
const SET = /^KUBE-(?:6-)?IX-/;

/** The name of a set in a rule. */
const MATCHED_SET = / --match-set (\S+)/g;

export function isIndexedChain(name: string): boolean {
  return CHAIN.test(name);
}

export function isIndexedSet(name: string): boolean {
  return SET.test(name);
}

/** A rule, and the chain that it is in. */
export interface PlacedRule {
  readonly table: TableName;
  readonly chain: string;
  readonly line: string;
}

/**
 * The first rule by which packets to Services still come to the Indexed layout. Undefined once another proxy, or the
 * Compat layout, has rewritten the shared chains.
 */
export function useOfIndexed(state: KernelState): PlacedRule | undefined {
  return firstUse(state, INDEXED);
}

/** Names of what a mode or layout has for itself. */
export interface OwnNames {
  isChain(name: string): boolean;
  isSet(name: string): boolean;
}

const INDEXED: OwnNames = { isChain: isIndexedChain, isSet: isIndexedSet };

/** The first rule that refers to these, in another of our chains in the nat table that a base chain leads to. */
export function firstUse({ tables }: KernelState, names: OwnNames): PlacedRule | undefined {
  const nat = tables.get("nat");
  for (const { name, rules } of nat ? reachableChains(nat) : []) {
    if (names.isChain(name) || !isOurChain("nat", name)) continue;
    const rule = rules.find(({ line }) => refersTo(line, names));
    if (rule) return { table: "nat", chain: name, line: rule.line };
  }
  return undefined;
}

/** The base chains and all chains that packets get to from them. */
function* reachableChains(chains: Chains): Iterable<Chain> {
  const queue = [...chains.values()].filter(({ hold }) => hold === "built-in");
  const seen = new Set(queue);
  for (const chain of queue) {
    yield chain;
    for (const { line } of chain.rules) {
      const target = chains.get(targetOf(line) ?? "");
      if (!target || seen.has(target)) continue;
      seen.add(target);
      queue.push(target);
    }
  }
}

function refersTo(line: string, { isChain, isSet }: OwnNames): boolean {
  if (isChain(targetOf(line) ?? "")) return true;
  // A comment may contain anything.
  const plain = line.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  return [...plain.matchAll(MATCHED_SET)].some(([, name = ""]) => isSet(name));
}

/**
 * Removes the chains of the Indexed layout, and the rules of our other chains that refer to them or to its sets, in one
 * restore. No other rule is written: the proxy that took over may be changing the shared chains at the same time. Chains
 * that a rule of other software leads to stay, empty. The sets can be destroyed afterwards.
 */
export function planRemovalOfIndexed({ family, tables }: KernelState): Plan {
  const parts = TABLES.map((table) => removalIn(table, tables.get(table) ?? new Map()));
  const changes = parts.flatMap(({ change }) => (change.clear.length + change.rules.length === 0 ? [] : [change]));
  const steps: readonly Step[] = changes.length === 0 ? [] : [{ kind: "iptables", family, changes }];
  return { steps, kept: parts.flatMap(({ kept }) => kept) };
}

interface Removal {
  readonly change: TableChange & { readonly rules: readonly string[] };
  readonly kept: readonly KeptChain[];
}

function removalIn(table: TableName, chains: Chains): Removal {
  const stale = [...chains.keys()].filter(isIndexedChain).sort();
  const others = [...chains.values()].filter(({ name }) => !isIndexedChain(name));
  const rules = others
    .filter(({ name }) => isOurChain(table, name))
    .flatMap((chain) => chain.rules.filter(({ line }) => refersTo(line, INDEXED)))
    .map(({ line }) => `-D${line.slice(2)}`);
  const kept = new Map<string, KeptChain>();
  for (const chain of others.filter(({ name }) => !isOurChain(table, name))) {
    for (const { line } of chain.rules) {
      const target = targetOf(line) ?? "";
      if (isIndexedChain(target)) kept.set(target, { table, chain: target, rule: line });
    }
  }
  const remove = stale.filter((name) => !kept.has(name));
  const clear = stale.filter((name) => !kept.has(name) || chains.get(name)?.rules.length !== 0);
  return { change: { table, clear, rules, remove }, kept: [...kept.values()] };
}
