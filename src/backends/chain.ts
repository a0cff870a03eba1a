// What do the chains of every mode have in common?
import type { Chain, Rule } from "../state/kernel-state.ts";

/** A chain that holds exactly these rules. */
export function ours(name: string, rules: readonly Rule[]): Chain {
  return { name, hold: "ours", rules };
}

/** The mark of packets that are to be masqueraded, as the kernel's tools print it. */
export function markOf({ masqueradeBit }: { readonly masqueradeBit: number }): string {
  return `0x${(2 ** masqueradeBit).toString(16)}`;
}
