// Of which family is each table of a dump, and what is in it?
import { RuleSyntaxError } from "../errors.ts";
import type { Family } from "../net/family.ts";
import { readPart } from "./dump-fault.ts";
import { parseTables } from "./iptables-parse.ts";
import type { Chains, TableName } from "./kernel-state.ts";

/** The text of one table, from `*nat` to COMMIT. */
export interface TableText {
  readonly table: string;
  /** Line of the dump in which it begins. */
  readonly number: number;
  readonly text: string;
  /** As a comment above says. */
  readonly family: Family | undefined;
}

/** One whose family is known. */
export type FamilyTable = TableText & { readonly family: Family };

/** Built-in chains. Text for a restore does not declare them. */
const BUILT_IN: Readonly<Record<string, readonly string[]>> = {
  filter: ["INPUT", "FORWARD", "OUTPUT"],
  mangle: ["PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"],
  nat: ["PREROUTING", "INPUT", "OUTPUT", "POSTROUTING"],
  raw: ["PREROUTING", "OUTPUT"],
  security: ["INPUT", "FORWARD", "OUTPUT"],
};

/** Source and destination stand before whatever else a rule says; a word about ICMP or a translation ends it. */
const ADDRESS = /^(?:\[\d+:\d+\] )?-A \S+ (?:! )?-[sd] (\S+)/m;
const ENDING = / (?:--reject-with (icmp6?)-|--to-destination (\[|\d))[^"\n]*$/m;

/**
 * Tables that follow one another are of one family, until one is there again: told by a comment, or else by the addresses
 * in any of them, or else by `asked`. Throws RuleSyntaxError where nothing tells, and where a table is there twice.
 */
export function familyTables(texts: readonly TableText[], asked: Family | undefined): readonly FamilyTable[] {
  const seen = new Set<string>();
  return runsOf(texts).flatMap((run) => {
    const family = run[0]?.family ?? familyIn(run) ?? asked;
    return run.map((each) => {
      if (family === undefined) throw fault(each, "nothing tells of which family this is: say --ip-family");
      if (seen.has(`${family} ${each.table}`)) throw fault(each, `a second time for ${family}`);
      seen.add(`${family} ${each.table}`);
      return { ...each, family };
    });
  });
}

/** What is in the table. Throws RuleSyntaxError, with the line of the dump. */
export function parseTable({ table, number, text }: TableText): ReadonlyMap<TableName, Chains> {
  const missing = (BUILT_IN[table] ?? []).filter((chain) => !text.includes(`\n:${chain} `));
  const declared = missing.map((chain) => `:${chain} ACCEPT\n`).join("");
  const head = table.length + 2;
  return readPart(
    () => parseTables(`${text.slice(0, head)}${declared}${text.slice(head)}`),
    (line) => (line === 1 ? number : number + line - 1 - missing.length),
  );
}

function runsOf(texts: readonly TableText[]): readonly (readonly TableText[])[] {
  const runs: TableText[][] = [];
  for (const each of texts) {
    const run = runs.at(-1);
    const goesOn = run?.every(({ family, table }) => family === each.family && table !== each.table);
    if (run && goesOn) run.push(each);
    else runs.push([each]);
  }
  return runs;
}

function familyIn(run: readonly TableText[]): Family | undefined {
  for (const { text } of run) {
    const [, address] = ADDRESS.exec(text) ?? [];
    if (address !== undefined) return address.includes(":") ? "IPv6" : "IPv4";
    const [, icmp, destination] = ENDING.exec(text) ?? [];
    if (icmp !== undefined) return icmp === "icmp6" ? "IPv6" : "IPv4";
    if (destination !== undefined) return destination === "[" ? "IPv6" : "IPv4";
  }
  return undefined;
}

function fault({ table, number }: TableText, reason: string): RuleSyntaxError {
  return new RuleSyntaxError(number, `*${table}`, reason);
}
