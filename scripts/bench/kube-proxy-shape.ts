// What would kube-proxy send for the same change?
import { changesBetween } from "../../src/paged-list.ts";
import type { TableChange } from "../../src/plan/plan.ts";
import type { KernelState, TableName } from "../../src/state/kernel-state.ts";
import { sharedChains } from "../../src/state/whole-tables.ts";
import type { RestoreInput } from "./bare-restore.ts";

const TABLES: readonly TableName[] = ["filter", "nat"];

/**
 * A partial sync of kube-proxy: the fixed chains with the rules of all Services, and the chains of those Services that
 * changed, whole. Stale chains go in the same restore.
 */
export function partialSync(after: KernelState, before: KernelState): RestoreInput {
  const { come, gone } = changesBetween(after.fragments, before.fragments);
  return TABLES.map((table): TableChange => {
    const shared = [...sharedChains(after, table).values()].filter(({ hold }) => hold === "ours");
    const chains = [...shared, ...come.flatMap((fragment) => fragment.chains(table))];
    const names = new Set(chains.map(({ name }) => name));
    const old = gone.flatMap((fragment) => fragment.chains(table).map(({ name }) => name));
    const remove = old.filter((name) => !names.has(name));
    const rules = chains.flatMap((chain) => chain.rules.map(({ line }) => line));
    return { table, clear: [...names, ...remove].sort(), rules, remove };
  });
}
