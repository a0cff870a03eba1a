// What is different between what is wanted and what is there, place by place?
import { changesBetween } from "../paged-list.ts";
import { type KernelState, type Rule, type Sysctl, TABLES } from "../state/kernel-state.ts";
import { printSysctls } from "../state/sysctl-text.ts";
import { compareIpvs } from "./compare-ipvs.ts";
import { compareTable } from "./compare-tables.ts";
import type { Difference } from "./difference.ts";
import { editsBetween } from "./edits.ts";
import { leavingDifferences } from "./leave-ipvs.ts";
import type { KeptChain } from "./plan.ts";
import { diffSysctls } from "./sysctls.ts";

export interface Comparison {
  /** In the order in which the tools of the places are used; empty exactly where a plan is. */
  readonly differences: readonly Difference[];
  readonly kept: readonly KeptChain[];
}

/** Compares one family with what was observed of it; `jumps` are all that are ours to take out of built-in chains. */
export function compare(wanted: KernelState, actual: KernelState, jumps: readonly Rule[]): Comparison {
  const lines = new Set(jumps.map(({ line }) => line));
  const changed = changesBetween(wanted.fragments, actual.fragments);
  const tables = TABLES.map((table) => compareTable({ table, wanted, actual, changed, jumps: lines }));
  return {
    differences: [
      ...sysctlDifference(wanted, actual),
      ...counterDifference(wanted, actual),
      ...compareIpvs(wanted, actual),
      ...tables.flatMap(({ differences }) => differences),
      ...leavingDifferences(wanted, actual),
    ],
    kept: tables.flatMap(({ kept }) => kept),
  };
}

function sysctlDifference({ family, sysctls }: KernelState, actual: KernelState): readonly Difference[] {
  const after = sysctls.filter((setting) => diffSysctls([setting], actual.sysctls).length > 0);
  if (after.length === 0) return [];
  const before = actual.sysctls.filter(({ path }) => after.some((each) => each.path === path));
  const lines = (settings: readonly Sysctl[]) => printSysctls(settings).map((text) => ({ text }));
  const edits = editsBetween(lines(before), lines(after));
  return [{ family, place: { kind: "sysctls" }, change: "changed", edits }];
}

function counterDifference({ family, counters }: KernelState, actual: KernelState): readonly Difference[] {
  const missing = counters.filter((name) => !actual.counters.includes(name));
  if (missing.length === 0) return [];
  const edits = missing.map((text) => ({ kind: "comes", text }) as const);
  return [{ family, place: { kind: "counters" }, change: "changed", edits }];
}
