// Chooses the layout of iptables mode: Indexed only where the kernel has ipsets and iptables can match them.
import { setsOf } from "../backends/indexed/sets.ts";
import type { Family } from "../net/family.ts";
import { fallBackToCompat, type Options } from "../options/options.ts";
import type { Log } from "../sync/log.ts";
import type { Machine } from "./machine.ts";

export interface ChosenLayout {
  /** As they hold in that layout. */
  readonly options: Options;
  /** Why it is not the one that was asked for. */
  readonly layoutFallback?: string;
}

interface LayoutInput {
  readonly options: Options;
  /** Those that iptables can serve. */
  readonly families: readonly Family[];
  readonly setTrouble: Machine["setTrouble"];
  readonly log: Log;
}

/**
 * Indexed, where it is asked for and rules of every family can match its sets, else Compat. The choice holds until the
 * process ends. Rejects with KernelError where the kernel refuses to answer, as without CAP_NET_ADMIN.
 */
export async function chooseLayout({ options, families, setTrouble, log }: LayoutInput): Promise<ChosenLayout> {
  if (options.mode !== "iptables" || options.iptablesLayout !== "Indexed") return { options };
  for (const family of families) {
    const trouble = await setTrouble(family, setsOf(family));
    if (trouble === undefined) continue;
    log.warn({ ipFamily: family, err: trouble }, "The Indexed layout is not possible here, falling back to Compat");
    return { options: fallBackToCompat(options), layoutFallback: trouble };
  }
  return { options };
}
