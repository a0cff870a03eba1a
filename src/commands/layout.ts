// In which layout does iptables mode run, when the kernel may have no sets?
import { setsOf } from "../backends/indexed/sets.ts";
import { FAMILIES } from "../net/family.ts";
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
  readonly setTrouble: Machine["setTrouble"];
  readonly log: Log;
}

/**
 * Indexed, where it is asked for and its sets can be had, else Compat. The choice holds until the process ends. Rejects
 * with KernelError where there is no way to tell: without rights above all.
 */
export async function chooseLayout({ options, setTrouble, log }: LayoutInput): Promise<ChosenLayout> {
  if (options.mode !== "iptables" || options.iptablesLayout !== "Indexed") return { options };
  const trouble = await setTrouble(FAMILIES.flatMap(setsOf));
  if (trouble === undefined) return { options };
  log.error({ err: trouble }, "The Indexed layout is not possible here, falling back to Compat");
  return { options: fallBackToCompat(options), layoutFallback: trouble };
}
