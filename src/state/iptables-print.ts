// How is a state written as the text of `iptables-save`?
import { type Chain, type KernelState, type Rule, TABLES } from "./kernel-state.ts";
import { wholeTable } from "./whole-tables.ts";

const HOOKS = ["PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"];

/** How each rule is printed; by default as its line alone. */
export type PrintRule = (rule: Rule) => string;

/**
 * The state in save form, line by line: tables by name, chain lines by name, rules of built-in chains in hook order and
 * then those of our chains by name. Built-in chains have no chain line, so that loading the text changes no policy.
 */
export function* printTables(state: KernelState, printRule: PrintRule = (rule) => rule.line): Iterable<string> {
  for (const table of TABLES) {
    const chains = [...wholeTable(state, table).values()];
    if (chains.length === 0) continue;
    const own = chains.filter((chain) => chain.hold !== "built-in").sort(byName);
    const builtIn = HOOKS.flatMap((hook) => chains.filter((chain) => chain.hold === "built-in" && chain.name === hook));
    yield `*${table}`;
    for (const chain of own) yield `:${chain.name} - [0:0]`;
    for (const chain of [...builtIn, ...own]) for (const rule of chain.rules) yield printRule(rule);
    yield "COMMIT";
  }
}

function byName(a: Chain, b: Chain): number {
  return a.name < b.name ? -1 : 1;
}
