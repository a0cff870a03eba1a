// Which real servers were told to go and still have connections, and when are they looked at again?
import type { Applied } from "../kernel/apply.ts";
import type { Plan } from "../plan/plan.ts";
import { realKey } from "../state/ipvs-claims.ts";
import type { Retirement } from "../state/server-change.ts";

/** Milliseconds between two looks, as in kube-proxy. */
export const LOOK_AGAIN = 60_000;

/** What is known of them. The kernel knows it too, by their weight of zero, so that a restart forgets nothing. */
export class Draining {
  readonly #reals = new Map<string, Retirement>();
  #looked = Number.NEGATIVE_INFINITY;

  get size(): number {
    return this.#reals.size;
  }

  get keys(): ReadonlySet<string> {
    return new Set(this.#reals.keys());
  }

  /** Milliseconds until it is time for another look; 0 where that is over. */
  wait(now: number): number {
    return Math.max(0, this.#looked + LOOK_AGAIN - now);
  }

  /** All of them, when it is time for another look. */
  due(now: number): readonly Retirement[] {
    return this.wait(now) > 0 ? [] : [...this.#reals.values()];
  }

  /**
   * What a pass found and did. `due`: what was due when it began. In a pass that went well all of that was looked at, or
   * is no longer to go; of a refused step nobody knows how far it came, so weights may be gone.
   */
  note(
    { steps, draining: found = [] }: Plan,
    { done, refused, draining }: Applied,
    due: readonly Retirement[],
    now: number,
  ): void {
    if (this.#reals.size === 0 || due.length > 0) this.#looked = now;
    if (!refused) this.#forget(due);
    for (const step of steps) if (step.kind === "retire" && done.includes(step)) this.#forget(step.reals);
    const begun = refused?.step.kind === "retire" ? refused.step.reals : [];
    for (const one of [...found, ...begun, ...draining]) this.#reals.set(realKey(one.server, one.real), one);
  }

  #forget(reals: readonly Retirement[]): void {
    for (const { server, real } of reals) this.#reals.delete(realKey(server, real));
  }
}
