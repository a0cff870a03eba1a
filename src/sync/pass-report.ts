// Builds the report of one sync for metrics, health answers and debugging pages.
import { KernelError, type RuleSyntaxError } from "../errors.ts";
import type { ItemRefusal } from "../kernel/ipvs-step.ts";
import { printPlan } from "../plan/print.ts";
import { claimantsIn } from "../state/ipvs-claims.ts";
import type { KernelState } from "../state/kernel-state.ts";
import { countRules } from "../state/rule-count.ts";
import { type Kept, refusalIn } from "./keeper.ts";
import type { ByTable, PassFailure, PassReport } from "./observer.ts";
import type { RejectedService } from "./quarantine.ts";

/** What a report says beside what the pass did. */
export type Circumstances = Pick<PassReport, "withoutLocalEndpoints" | "serviceHealth" | "triggers"> & {
  readonly setAside: readonly RejectedService[];
  /** What of IPVS is done without. */
  readonly withheld: readonly ItemRefusal[];
  /** What the kernel holds now, as far as that is known. */
  readonly held: KernelState | undefined;
};

/** A pass that could look at the kernel. */
export function reportOf(kept: Kept, { setAside, withheld, held, ...rest }: Circumstances): PassReport {
  const { elapsed, scope, attempts, drift, unreadable = new Map() } = kept;
  const failure = failureOf(kept);
  const keys = withheld.map(({ key }) => key);
  const claimants = held && keys.length > 0 ? claimantsIn(held.fragments, keys) : undefined;
  return {
    ...rest,
    elapsed,
    scope,
    ...(failure && { failure }),
    refusedRestores: attempts.filter(({ applied }) => applied.refused?.step.kind === "iptables").length,
    steps: attempts.reduce((sum, { applied }) => sum + applied.done.length, 0),
    sent: sentIn(kept),
    owned: () => byTable((table) => (held ? countRules(held, table) : 0)),
    driftedLines: drift ? [...printPlan(drift)].length : 0,
    ...(unreadable.size > 0 && { unreadableTables: Object.fromEntries(unreadable) }),
    setAside: [
      ...setAside.map(({ refused, error }) => ({ servicePort: refused.key, reason: error.refusal.words })),
      ...withheld.map(({ key, error }) => {
        const of = { servicePort: claimants?.get(key)?.key ?? key, reason: error.message, item: key };
        return hasBlank(key) ? { ...of, partial: true as const } : of;
      }),
    ],
  };
}

/** A pass that could not. */
export function blindReport(
  elapsed: number,
  error: KernelError | RuleSyntaxError,
  circumstances: Circumstances,
): PassReport {
  const { step, code } = error instanceof KernelError ? error.refusal : { step: "observe", code: "syntax" };
  const nothing: Kept = {
    elapsed,
    scope: "full",
    attempts: [],
    drift: undefined,
    restored: false,
    rejected: [],
    items: [],
  };
  return { ...reportOf(nothing, circumstances), failure: { step, code, words: error.message } };
}

function failureOf(kept: Kept): PassFailure | undefined {
  const refused = refusalIn(kept);
  return refused && { step: refused.step.kind, code: refused.error.refusal.code, words: refused.error.message };
}

/** Real servers and ipset entries have a blank in their keys, virtual servers and addresses have none. */
function hasBlank(key: string): boolean {
  return key.includes(" ");
}

function sentIn({ attempts }: Kept): ByTable {
  return byTable((table) => attempts.reduce((sum, { applied }) => sum + (applied.sent.get(table) ?? 0), 0));
}

function byTable(count: (table: keyof ByTable) => number): ByTable {
  return { filter: count("filter"), nat: count("nat") };
}
