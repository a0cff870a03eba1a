// Which single things of IPVS mode are done without because the kernel refused them, and until when?
import type { KernelError } from "../errors.ts";
import type { ItemRefusal } from "../kernel/ipvs-step.ts";
import { withheldOf } from "../state/ipvs-withheld.ts";
import type { KernelState } from "../state/kernel-state.ts";
import { waitAfter } from "./refusal-wait.ts";

interface Refused {
  readonly error: KernelError;
  readonly wait: number;
  readonly until: number;
}

/** Refused servers, entries and addresses, by key. Everything else of their Services is in the kernel. */
export class Withheld {
  readonly #refused = new Map<string, Refused>();
  /** The same set while nothing in it changes. */
  #keys: ReadonlySet<string> = new Set();

  get size(): number {
    return this.#refused.size;
  }

  add(items: readonly ItemRefusal[], now: number): void {
    for (const { key, error } of items) {
      const wait = waitAfter(this.#refused.get(key)?.wait);
      this.#refused.set(key, { error, wait, until: now + wait });
    }
    if (items.length > 0) this.#keys = new Set(this.#refused.keys());
  }

  /** Milliseconds until something is to be tried again; undefined when nothing was refused. */
  nextRetry(now: number): number | undefined {
    if (this.#refused.size === 0) return undefined;
    return Math.max(0, Math.min(...[...this.#refused.values()].map(({ until }) => until - now)));
  }

  /** The state without what is not due; what is due is tried again. */
  withhold(wanted: KernelState, now: number): KernelState {
    if (wanted.ipvs?.kind !== "wanted" || this.#refused.size === 0) return wanted;
    const keys = [...this.#refused].flatMap(([key, { until }]) => (now < until ? [key] : []));
    if (keys.length === 0) return wanted;
    if (keys.length < this.#keys.size) this.#keys = new Set(keys);
    return { ...wanted, ipvs: { ...wanted.ipvs, withheld: this.#keys } };
  }

  /** Forgets what went well: all but what is withheld from this state. */
  settle(held: KernelState): void {
    const withheld = withheldOf(held);
    for (const key of this.#refused.keys()) if (!withheld.has(key)) this.#refused.delete(key);
  }

  /** Each with the refusal. */
  all(): readonly ItemRefusal[] {
    return [...this.#refused].map(([key, { error }]) => ({ key, error }));
  }
}
