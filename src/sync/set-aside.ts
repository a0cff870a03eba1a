// Which fragments are held back because the kernel refused them, and until when?
import type { KernelError } from "../errors.ts";
import { type PagedList, replaceItems } from "../paged-list.ts";
import type { Fragment, KernelState } from "../state/kernel-state.ts";
import type { Culprit } from "./culprits.ts";
import { waitAfter } from "./refusal-wait.ts";

/** A fragment that is held back. */
export interface Held {
  readonly refused: Fragment;
  readonly error: KernelError;
  /** What the kernel holds instead of this ServicePort. */
  readonly instead: Fragment | undefined;
  readonly wait: number;
  readonly until: number;
}

/** Fragments set aside, by key. Another version of the same fragment gets its own chance at once. */
export class SetAside {
  readonly #held = new Map<string, Held>();

  /** Sets culprits aside; `taken` is what the kernel takes in place of them. */
  add(culprits: readonly Culprit[], taken: PagedList<Fragment>, now: number): void {
    for (const { fragment, error } of culprits) {
      const wait = waitAfter(this.#held.get(fragment.key)?.wait);
      const instead = [...taken].find(({ key }) => key === fragment.key);
      this.#held.set(fragment.key, { refused: fragment, error, instead, wait, until: now + wait });
    }
  }

  all(): readonly Held[] {
    return [...this.#held.values()];
  }

  /**
   * The state with what is set aside as it was taken before; what is due is given another chance, and what is no longer
   * wanted is forgotten.
   */
  withhold(wanted: KernelState, now: number): KernelState {
    this.#forget(wanted, (isThere) => !isThere);
    if (this.#held.size === 0) return wanted;
    const fragments = replaceItems(wanted.fragments, ({ key }) => {
      const held = this.#held.get(key);
      return held && now < held.until ? asList(held.instead) : undefined;
    });
    return { ...wanted, fragments };
  }

  /** Forgets what went well: all but those that are held back in this state. */
  settle(held: KernelState): void {
    this.#forget(held, (isThere) => isThere);
  }

  #forget(state: KernelState, isOver: (isThere: boolean) => boolean): void {
    if (this.#held.size === 0) return;
    const there = new Set(state.fragments);
    for (const [key, { refused }] of this.#held) if (isOver(there.has(refused))) this.#held.delete(key);
  }
}

function asList<T>(item: T | undefined): readonly T[] {
  return item === undefined ? [] : [item];
}
