// What does the text of `iptables-save` say?
import { RuleSyntaxError } from "../errors.ts";
import { type Chain, type Chains, type Rule, TABLES, type TableName } from "./kernel-state.ts";
import { canonicalLine, chainOf } from "./rule.ts";

const CHAIN_LINE = /^:(\S+) (\S+)(?: \[\d+:\d+\])?$/;
const RULE_LINE = /^(?:\[\d+:\d+\] )?(-A \S+(?: .*)?)$/s;

interface OpenChain {
  readonly name: string;
  readonly hold: Chain["hold"];
  readonly rules: Rule[];
}

/**
 * Reads save text, of one table or of several, in canonical form. A chain with a policy is `built-in`, every other one
 * `ours` in the sense that these are its rules. Throws RuleSyntaxError, with the line, for what is not save text.
 */
export function parseTables(text: string): ReadonlyMap<TableName, Chains> {
  const tables = new Map<TableName, Map<string, OpenChain>>();
  let table: Map<string, OpenChain> | undefined;
  let number = 0;
  for (const line of linesOf(text)) {
    number++;
    if (line === "" || line.startsWith("#")) continue;
    if (line === "COMMIT") table = undefined;
    else if (line.startsWith("*")) table = openTable(tables, line, number);
    else if (!table) throw new RuleSyntaxError(number, line, "stands outside of any table");
    else if (line.startsWith(":")) declare(table, line, number);
    else append(table, line, number);
  }
  return tables;
}

/** The lines of the text. A line end inside of a quoted comment, which some writers make, does not end the line. */
function* linesOf(text: string): Iterable<string> {
  let start = 0;
  let end = text.indexOf("\n");
  while (start < text.length) {
    if (end < 0) end = text.length;
    const line = text.slice(start, end);
    if (end < text.length && isOpen(line)) {
      end = text.indexOf("\n", end + 1);
    } else {
      yield line;
      start = end + 1;
      end = text.indexOf("\n", start);
    }
  }
}

/** Does a quotation begin on the line and not end there? */
function isOpen(line: string): boolean {
  if (line.startsWith("#") || !line.includes('"')) return false;
  return (line.match(/\\.|"/gs) ?? []).filter((mark) => mark === '"').length % 2 === 1;
}

function openTable(tables: Map<TableName, Map<string, OpenChain>>, line: string, number: number) {
  const name = TABLES.find((table) => table === line.slice(1));
  if (!name) throw new RuleSyntaxError(number, line, "unknown table");
  const table = tables.get(name) ?? new Map<string, OpenChain>();
  tables.set(name, table);
  return table;
}

function declare(table: Map<string, OpenChain>, line: string, number: number): void {
  const [, name, policy] = CHAIN_LINE.exec(line) ?? [];
  if (name === undefined) throw new RuleSyntaxError(number, line, "not a chain line");
  table.set(name, { name, hold: policy === "-" ? "ours" : "built-in", rules: [] });
}

function append(table: Map<string, OpenChain>, line: string, number: number): void {
  const rule = RULE_LINE.exec(line)?.[1];
  if (rule === undefined) throw new RuleSyntaxError(number, line, "neither a chain nor a rule");
  const chain = table.get(chainOf(rule));
  if (!chain) throw new RuleSyntaxError(number, line, "rule of a chain that is not declared");
  chain.rules.push({ line: canonicalLine(rule) });
}
