// How long does iptables-restore take for the same text, with no node around it?
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { diff } from "../../src/plan/diff.ts";
import type { TableChange } from "../../src/plan/plan.ts";
import { restoreText } from "../../src/plan/restore-text.ts";
import type { Variant } from "../../src/plan/transactions.ts";
import type { KernelState } from "../../src/state/kernel-state.ts";
import type { Means } from "../../src/sync/pass.ts";
import { FOLDER } from "./sandbox.ts";
import type { Stopwatch } from "./stopwatch.ts";

/** Input for one restore. */
export type RestoreInput = readonly TableChange[];

/** What a node sends on the way from one state to another, restore by restore: the plan is a pure function of both. */
export function inputsOf(after: KernelState, before: KernelState, { backend }: Means, variant: Variant) {
  const { steps } = diff(after, before, { jumps: backend.jumps, variant });
  return steps.flatMap((step): readonly RestoreInput[] => (step.kind === "iptables" ? [step.changes] : []));
}

export function countLines(input: RestoreInput): number {
  return [...restoreText(input)].length;
}

/** Milliseconds for these restores, one after the other. */
export function timeRestores(stopwatch: Stopwatch, inputs: readonly RestoreInput[]): Promise<number> {
  const commands = inputs.map((input, index) => {
    const path = join(FOLDER, `restore-${index}`);
    writeFileSync(path, [...restoreText(input)].join(""));
    return `iptables-restore -w 5 --noflush --counters < ${path}`;
  });
  return stopwatch.time(commands.length === 0 ? "true" : commands.join(" && "));
}
