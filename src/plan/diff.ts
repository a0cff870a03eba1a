// What has to be done so that the kernel holds what is wanted?
import { type KernelState, type Rule, TABLES } from "../state/kernel-state.ts";
import { wholeTable } from "../state/whole-tables.ts";
import type { KeptChain, Plan, Step, TableChange } from "./plan.ts";
import { diffSysctls } from "./sysctls.ts";
import { diffTable } from "./tables.ts";

/** The plan from `actual` to `wanted`; empty where nothing of ours differs. `jumps` are all that we ever put into built-in chains. */
export function diff(wanted: KernelState, actual: KernelState, jumps: readonly Rule[]): Plan {
  const lines = new Set(jumps.map(({ line }) => line));
  const changes: TableChange[] = [];
  const kept: KeptChain[] = [];
  for (const table of TABLES) {
    const pair = { table, jumps: lines, wanted: wholeTable(wanted, table), actual: wholeTable(actual, table) };
    const result = diffTable(pair);
    kept.push(...result.kept);
    if (result.change) changes.push(result.change);
  }
  const steps: Step[] = [...diffSysctls(wanted.sysctls, actual.sysctls)];
  const missing = wanted.counters.filter((name) => !actual.counters.includes(name));
  for (const name of missing) steps.push({ kind: "counter", name });
  if (changes.length > 0) steps.push({ kind: "iptables", family: wanted.family, changes });
  return { steps, kept };
}
