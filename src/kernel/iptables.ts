// Reads the iptables tables with iptables-save and changes them with iptables-restore.
import { KernelError } from "../errors.ts";
import type { Family } from "../net/family.ts";
import type { TableChange } from "../plan/plan.ts";
import { restoreText } from "../plan/restore-text.ts";
import type { TableName } from "../state/kernel-state.ts";
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

/** All tables of the family, as they are, in save form. Rejects with KernelError. */
export function saveText(run: RunCommand, family: Family, unhurried = false): Promise<string> {
  return run({ program: `${iptablesOf(family)}-save`, args: [], unhurried });
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
