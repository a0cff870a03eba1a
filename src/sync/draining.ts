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

  /** All of them, when it is time for another look. */
  due(now: number): readonly Retirement[] {
    return now - this.#looked < LOOK_AGAIN ? [] : [...this.#reals.values()];
  }

  /** What a pass found and did. `due`: what was due when it began; all of that was looked at, or is no longer to go. */
  note(
    { steps, draining: found = [] }: Plan,
    { done, draining }: Applied,
    due: readonly Retirement[],
    now: number,
  ): void {
    if (this.#reals.size === 0 || due.length > 0) this.#looked = now;
    this.#forget(due);
    for (const step of steps) if (step.kind === "retire" && done.includes(step)) this.#forget(step.reals);
    for (const one of [...found, ...draining]) this.#reals.set(realKey(one.server, one.real), one);
  }

  #forget(reals: readonly Retirement[]): void {
    for (const { server, real } of reals) this.#reals.delete(realKey(server, real));
  }
}
