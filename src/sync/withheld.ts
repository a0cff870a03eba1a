// Single items of IPVS mode that the kernel rejected, and when each is tried again.
import type { KernelError } from "../errors.ts";
import type { ItemRefusal } from "../kernel/ipvs-step.ts";
import { changesBetween, type PagedList } from "../paged-list.ts";
import { desiredUnder, keysOf, realKey, shareOf } from "../state/ipvs-claims.ts";
import { dependentOf, withheldOf } from "../state/ipvs-withheld.ts";
import { emptyState, type Fragment, type Withheld as Items, type KernelState } from "../state/kernel-state.ts";
import { waitAfter } from "./refusal-wait.ts";

interface Refused {
  readonly error: KernelError;
  readonly wait: number;
  readonly until: number;
  /** What was desired under the key; undefined where nothing was, so that a removal was rejected. */
  readonly desired: string | undefined;
}

const NOTHING: Items = withheldOf(emptyState("IPv4"));

/** Rejected servers, entries and addresses, by key. Everything else of their Services is in the kernel. */
export class Withheld {
  readonly #refused = new Map<string, Refused>();
  /** The same object as long as nothing in it changes, and no server in it has other endpoints. */
  #items: Items = NOTHING;
  /** Of the last desired state. */
  #fragments: PagedList<Fragment> = emptyState("IPv4").fragments;

  get size(): number {
    return this.#refused.size;
  }

  /** Items that the kernel rejected of this state. */
  add(items: readonly ItemRefusal[], { fragments }: KernelState, now: number): void {
    const keys = items.map(({ key }) => key);
    const desired = desiredUnder(fragments, keys);
    for (const { key, error } of items) {
      const wait = waitAfter(this.#refused.get(key)?.wait);
      this.#refused.set(key, { error, wait, until: now + wait, desired: desired.get(key) });
    }
  }

  /** Milliseconds until something is to be tried again; undefined when nothing was rejected. */
  nextRetry(now: number): number | undefined {
    // Without a rejection, what depended on one is added again.
    if (this.#refused.size === 0) return this.#items.dependent.size > 0 ? 0 : undefined;
    const first = [...this.#refused.values()].reduce((least, { until }) => Math.min(least, until), Number.MAX_VALUE);
    return Math.max(0, first - now);
  }

  /** The state without what is not due. What is due is tried again, and what is desired otherwise than it was at once. */
  withhold(wanted: KernelState, now: number): KernelState {
    const before = this.#fragments;
    this.#fragments = wanted.fragments;
    if (this.#refused.size === 0) this.#items = NOTHING;
    if (wanted.ipvs?.kind !== "wanted" || this.#refused.size === 0) return wanted;
    const isOther = this.#release(before);
    const { admission } = wanted.ipvs;
    const rejected = new Set([...this.#refused].flatMap(([key, { until }]) => (now < until ? [key] : [])));
    // Also while an admitting entry is tried again: it may be rejected once more.
    const all = [...this.#refused.keys()];
    const dependent = new Set(admission ? all.flatMap((key) => dependentOf(key, admission) ?? []) : []);
    if (rejected.size + dependent.size === 0) return wanted;
    const { rejected: keys, dependent: others } = this.#items;
    if (isOther || !sameKeys(rejected, keys) || !sameKeys(dependent, others)) this.#items = { rejected, dependent };
    return { ...wanted, ipvs: { ...wanted.ipvs, withheld: this.#items } };
  }

  /** Forgets what went well: all but what is withheld from this state. */
  settle(held: KernelState): void {
    const { rejected } = withheldOf(held);
    for (const key of this.#refused.keys()) if (!rejected.has(key)) this.#refused.delete(key);
  }

  /** Each with the kernel's answer. */
  all(): readonly ItemRefusal[] {
    return [...this.#refused].map(([key, { error }]) => ({ key, error }));
  }

  /**
   * Forgets rejections of what is desired otherwise now, or no longer. The answer is whether a rejected server that
   * stays may have other endpoints.
   */
  #release(before: PagedList<Fragment>): boolean {
    const { come, gone } = changesBetween(this.#fragments, before);
    const touched = new Set([...come, ...gone].flatMap(allKeys));
    const keys = [...this.#refused.keys()].filter((key) => touched.has(key));
    const desired = desiredUnder(this.#fragments, keys);
    for (const key of keys) if (desired.get(key) !== this.#refused.get(key)?.desired) this.#refused.delete(key);
    return keys.some((key) => this.#refused.has(key));
  }
}

function allKeys(fragment: Fragment): readonly string[] {
  const share = shareOf(fragment);
  if (!share) return [];
  return [
    ...keysOf(share),
    ...share.servers.flatMap((server) => server.realServers.map((real) => realKey(server, real))),
  ];
}

function sameKeys(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((key) => other.has(key));
}
