// Two versions of a table, and which chains of one have to be written.
import type { ListChanges } from "../paged-list.ts";
import type { Chain, Fragment, KernelState, TableName } from "../state/kernel-state.ts";
import { sameLines } from "../state/rule.ts";

/** One table as it should be and as it is. */
export interface TablePair {
  readonly table: TableName;
  readonly wanted: KernelState;
  /** What was observed, or what was applied and acknowledged. */
  readonly actual: KernelState;
  readonly changed: ListChanges<Fragment>;
  /** Lines of all jumps that are ours to take out of built-in chains. */
  readonly jumps: ReadonlySet<string>;
}

/** Not where it is there as it should be, and not where only some of it is ours. */
export function isToBeWritten(wanted: Chain, actual: Chain | undefined): boolean {
  if (wanted.hold === "built-in" || wanted === actual) return false;
  if (!actual) return true;
  return wanted.hold === "ours" && !sameLines(wanted.rules, actual.rules);
}
