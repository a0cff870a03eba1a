// Plans the steps from the observed or applied state to the desired state.
import { changesBetween } from "../paged-list.ts";
import { type KernelState, type Rule, TABLES } from "../state/kernel-state.ts";
import { fillMeanwhile } from "./filling.ts";
import { diffIpvs, type IpvsCircumstances } from "./ipvs.ts";
import type { Plan, Step } from "./plan.ts";
import { diffSysctls } from "./sysctls.ts";
import { diffTable } from "./tables.ts";
import { transactionsOf, type Variant } from "./transactions.ts";

/** What a plan depends on beside the two states. */
export interface Circumstances {
  /** All jumps that we ever put into built-in chains and take out again. */
  readonly jumps: readonly Rule[];
  readonly variant: Variant;
  /** In IPVS mode; else, and where nothing of it is known, absent. */
  readonly ipvs?: IpvsCircumstances;
}

const AT_FIRST: IpvsCircumstances = { initial: true, draining: new Set(), due: [] };

/**
 * The plan from `actual`, observed or applied before, to `wanted`; empty where nothing of ours differs. Fragments that
 * both states share are not looked into.
 */
export function diff(wanted: KernelState, actual: KernelState, circumstances: Circumstances): Plan {
  const { jumps, variant, ipvs = AT_FIRST } = circumstances;
  const lines = new Set(jumps.map(({ line }) => line));
  const changed = changesBetween(wanted.fragments, actual.fragments);
  const differences = TABLES.map((table) => diffTable({ table, wanted, actual, changed, jumps: lines }));
  const steps: Step[] = [...diffSysctls(wanted.sysctls, actual.sysctls)];
  const missing = wanted.counters.filter((name) => !actual.counters.includes(name));
  for (const name of missing) steps.push({ kind: "counter", name });
  const { early, late, draining, conflicts } = diffIpvs(wanted, actual, changed, ipvs);
  const transactions = transactionsOf(differences, wanted, variant);
  steps.push(...(transactions.length > 1 && !isEntered(actual, lines) ? fillMeanwhile(early, wanted) : early));
  for (const changes of transactions) steps.push({ kind: "iptables", family: wanted.family, changes });
  steps.push(...late);
  return {
    steps,
    kept: differences.flatMap(({ kept }) => kept),
    ...(draining.length > 0 && { draining }),
    ...(conflicts.length > 0 && { conflicts }),
  };
}

/** Does any packet come to a chain of ours? */
function isEntered({ tables }: KernelState, jumps: ReadonlySet<string>): boolean {
  const chains = [...tables.values()].flatMap((table) => [...table.values()]);
  return chains.some(({ hold, rules }) => hold === "built-in" && rules.some(({ line }) => jumps.has(line)));
}
