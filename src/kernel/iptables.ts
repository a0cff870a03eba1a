// Reads the iptables tables with iptables-save and changes them with iptables-restore.
import { KernelError, RuleSyntaxError } from "../errors.ts";
import type { Family } from "../net/family.ts";
import type { TableChange } from "../plan/plan.ts";
import { restoreText } from "../plan/restore-text.ts";
import { parseTables } from "../state/iptables-parse.ts";
import type { Chain, Chains, Rule, TableName } from "../state/kernel-state.ts";
import { chainOf, tailOf } from "../state/rule.ts";
import type { RunCommand } from "./command.ts";
import { lockHolders } from "./lock-holder.ts";

/** Seconds that a restore waits for the lock that all users of iptables share. */
const LOCK_WAIT = "5";

/** Number of input lines shown before and after the first one that the tool names. */
const CONTEXT = 3;

/** The command of a family: `iptables` or `ip6tables`. */
export function iptablesOf(family: Family): "iptables" | "ip6tables" {
  return family === "IPv4" ? "iptables" : "ip6tables";
}

/** The tables of one family, as far as iptables can print them. */
export interface ReadTables {
  readonly tables: ReadonlyMap<TableName, Chains>;
  /** The tables that could not be read, with the reason; see `KernelState.unreadable`. Absent: none. */
  readonly unreadable?: ReadonlyMap<TableName, string>;
}

export interface ReadInput {
  readonly run: RunCommand;
  readonly family: Family;
  /** Runs the tools at low priority. */
  readonly unhurried?: boolean;
  /** Our fixed chains and jumps by table. With them a table that iptables cannot print is probed, without them it is an error. */
  readonly expected?: ReadonlyMap<TableName, Chains> | undefined;
}

interface ReadIfNewInput extends ReadInput {
  /** Receives the save text of all tables; true if it says nothing new and need not be parsed. */
  readonly isKnown: (text: string) => boolean;
}

/**
 * Reads all tables of a family with iptables-save; undefined where `isKnown` says so. One rule of other software that
 * the tool cannot print (a set match without CAP_NET_RAW, an expression of nft, an extension that is not installed)
 * makes the whole output fail. Then each table of `expected` is read alone, and one that cannot be read is probed.
 * Rejects with KernelError or RuleSyntaxError where that is not possible either.
 */
export async function readTables(input: ReadInput): Promise<ReadTables>;
export async function readTables(input: ReadIfNewInput): Promise<ReadTables | undefined>;
export async function readTables(input: ReadInput & Partial<ReadIfNewInput>): Promise<ReadTables | undefined> {
  const { isKnown, expected } = input;
  try {
    const text = await save(input);
    return isKnown?.(text) ? undefined : { tables: parseWhole(text, input.family) };
  } catch (error) {
    const reason = reasonIn(error);
    if (!expected || reason === undefined) throw error;
    return readEach(input, expected);
  }
}

async function readEach(input: ReadInput, expected: ReadonlyMap<TableName, Chains>): Promise<ReadTables> {
  const tables = new Map<TableName, Chains>();
  const unreadable = new Map<TableName, string>();
  for (const [table, chains] of expected) {
    try {
      tables.set(table, parseWhole(await save(input, ["-t", table]), input.family).get(table) ?? new Map());
    } catch (error) {
      const reason = reasonIn(error);
      if (reason === undefined) throw error;
      tables.set(table, await probe(input, table, chains));
      unreadable.set(table, reason);
    }
  }
  return { tables, ...(unreadable.size > 0 && { unreadable }) };
}

function save({ run, family, unhurried = false }: ReadInput, args: readonly string[] = []): Promise<string> {
  return run({ program: `${iptablesOf(family)}-save`, args, unhurried });
}

/** iptables-nft-save prints this comment instead of a table with a rule that iptables cannot express, and exits with 0. */
const INCOMPATIBLE = /^# (Table `(?:filter|mangle|nat)' is incompatible, .*)$/m;

/** Throws KernelError or RuleSyntaxError for output that lacks a table of ours or the end of one. */
function parseWhole(text: string, family: Family): ReadonlyMap<TableName, Chains> {
  const refused = (words: string) =>
    new KernelError({ step: `${iptablesOf(family)}-save`, target: "", code: "unreadable", words });
  const incompatible = INCOMPATIBLE.exec(text)?.[1];
  if (incompatible !== undefined) throw refused(incompatible);
  const tables = parseTables(text);
  if (tables.size > 0 && !/^COMMIT(?:\n(?:#.*)?)*$/.test(text.slice(text.lastIndexOf("\nCOMMIT") + 1)))
    throw refused("the output ends within a table");
  return tables;
}

/** Why a table cannot be read; undefined for a fault of ours. */
function reasonIn(error: unknown): string | undefined {
  if (error instanceof RuleSyntaxError) return error.message;
  return error instanceof KernelError ? withRemedy(error.refusal.words) : undefined;
}

/** What iptables says about rules of other software that it cannot print, and what helps. */
const REMEDIES: readonly (readonly [words: RegExp, remedy: string])[] = [
  [/Can't open socket to ipset/, "iptables needs the capability NET_RAW for a set match (-m set)"],
  [/is incompatible, use 'nft' tool/, "move the rules that were added with nft to a table of their own"],
  [
    /(?:match|target) extension not found|Can't find library for (?:match|target)/,
    "install the iptables extension of that rule",
  ],
];

/** The words of iptables in one line, with what helps where that is known. */
export function withRemedy(words: string): string {
  const remedy = remedyOf(words);
  return [...words.split("\n"), ...(remedy === undefined ? [] : [remedy])].join("; ");
}

/** Whether iptables works and only cannot print a rule of other software, by its words. */
export function isForeignRule(words: string): boolean {
  return remedyOf(words) !== undefined;
}

function remedyOf(words: string): string | undefined {
  return REMEDIES.find(([pattern]) => pattern.test(words))?.[1];
}

/**
 * Finds out what is needed to write a table that cannot be read: which fixed chains exist and which jumps are in base
 * chains. As in kube-proxy, a missing chain is created by asking for it.
 */
async function probe(input: ReadInput, table: TableName, expected: Chains): Promise<Chains> {
  const found = new Map<string, Chain>();
  const chains = [...expected.values()];
  for (const { name, hold } of chains.filter((chain) => chain.hold !== "built-in")) {
    const existed = !(await createChain(input, table, name));
    // What is in a chain of ours is not known, so it differs from whatever is desired.
    if (hold === "ensured") found.set(name, { name, hold, rules: [] });
    else if (existed) found.set(name, { name, hold, rules: [{ line: `-A ${name} # unreadable` }] });
  }
  for (const { name, hold, rules } of chains.filter((chain) => chain.hold === "built-in")) {
    const present: Rule[] = [];
    for (const rule of rules) if (await hasRule(input, table, rule)) present.push(rule);
    found.set(name, { name, hold, rules: present });
  }
  return found;
}

/** Whether the chain did not exist before. */
async function createChain({ run, family, unhurried = false }: ReadInput, table: TableName, chain: string) {
  try {
    await run({ program: iptablesOf(family), args: ["-w", LOCK_WAIT, "-N", chain, "-t", table], unhurried });
    return true;
  } catch (error) {
    if (error instanceof KernelError && /Chain already exists/.test(error.refusal.words)) return false;
    throw error;
  }
}

/**
 * Whether a base chain has the rule. `iptables -C` exits with 1 where it does not. iptables-nft goes through the rules
 * from the top and exits with 3 at the first one whose extension is missing: then the rule is not above that one, and
 * counts as absent. Inserted at the top it is found the next time, so that there is one more of it at most.
 */
async function hasRule({ run, family, unhurried = false }: ReadInput, table: TableName, { line }: Rule) {
  const args = ["-w", LOCK_WAIT, "-C", chainOf(line), "-t", table, ...argumentsIn(tailOf(line))];
  try {
    await run({ program: iptablesOf(family), args, unhurried });
    return true;
  } catch (error) {
    if (!(error instanceof KernelError)) throw error;
    if (error.refusal.code === "1" || isForeignRule(error.refusal.words)) return false;
    throw error;
  }
}

/** The words of a rule in save form, as arguments of a program. */
function argumentsIn(rule: string): readonly string[] {
  return [...rule.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(
    ([, quoted, plain = ""]) => quoted?.replace(/\\(.)/g, "$1") ?? plain,
  );
}

/**
 * Carries the changes out, all tables in one restore; `onRule` is called for each rule on its way. Rejects with
 * KernelError that shows the lines round the fault.
 */
export async function restoreTables(
  run: RunCommand,
  family: Family,
  changes: readonly TableChange[],
  onRule: (table: TableName) => void = () => {},
): Promise<void> {
  const args = ["-w", LOCK_WAIT, "--noflush", "--counters"];
  const watched = changes.map((change) => ({ ...change, rules: eachTold(change, onRule) }));
  try {
    await run({ program: `${iptablesOf(family)}-restore`, args, input: restoreText(watched) });
  } catch (error) {
    throw error instanceof KernelError ? await withContext(error, changes) : error;
  }
}

function eachTold({ table, rules }: TableChange, onRule: (table: TableName) => void): Iterable<string> {
  return {
    *[Symbol.iterator]() {
      for (const rule of rules) {
        onRule(table);
        yield rule;
      }
    },
  };
}

async function withContext(error: KernelError, changes: readonly TableChange[]): Promise<KernelError> {
  if (/xtables lock/.test(error.refusal.words)) return withHolders(error, await lockHolders());
  const numbers = new Set([...error.refusal.words.matchAll(/\bline:? (\d+)/g)].map(([, number]) => Number(number)));
  if (numbers.size === 0) return error;
  const [first = 0] = numbers;
  const context: string[] = [];
  const rejectedLines: string[] = [];
  let line = 0;
  for (const text of restoreText(changes)) {
    line++;
    if (numbers.has(line)) rejectedLines.push(text.trimEnd());
    if (Math.abs(line - first) > CONTEXT) continue;
    context.push(`${numbers.has(line) ? ">" : " "} ${line}: ${text.trimEnd()}`);
  }
  return new KernelError({ ...error.refusal, context, rejectedLines });
}

function withHolders(error: KernelError, pids: readonly number[]): KernelError {
  const words = `${error.refusal.words} (held by ${pids.length === 0 ? "nobody any more" : `process ${pids.join(", ")}`})`;
  return new KernelError({ ...error.refusal, words });
}
