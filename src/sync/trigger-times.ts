// When were the changes made that are not in the kernel yet?
import type { Family } from "../net/family.ts";
import type { Change } from "../source/source.ts";

/** Times that are kept of one slice while no pass succeeds. */
const MOST = 100;

/**
 * Collects, for one family, when its EndpointSlices were changed in the cluster (milliseconds since 1970, of their
 * annotation `endpoints.kubernetes.io/last-change-trigger-time`), until a pass has brought them to the kernel. Times
 * before `since` are of changes that this process never had a chance to be quick with.
 */
export class TriggerTimes {
  readonly #family: Family;
  readonly #since: number;
  readonly #times = new Map<string, readonly number[]>();

  constructor(family: Family, since: number) {
    this.#family = family;
    this.#since = since;
  }

  /** A slice that is removed takes its times with it. */
  note(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.type === "delete" && change.identity.kind === "EndpointSlice")
        this.#times.delete(keyOf(change.identity));
      if (change.type !== "set" || change.object.kind !== "EndpointSlice") continue;
      const { triggered } = change;
      if (triggered === undefined || triggered <= this.#since || change.object.family !== this.#family) continue;
      const key = keyOf(change.object);
      this.#times.set(key, [...(this.#times.get(key) ?? []), triggered].slice(-MOST));
    }
  }

  /** All times so far; they are forgotten here. */
  take(): readonly number[] {
    const times = [...this.#times.values()].flat();
    this.#times.clear();
    return times;
  }

  /** The pass that was to bring these changes to the kernel failed: they belong to the next one. */
  giveBack(times: readonly number[]): void {
    this.#times.set("", times.slice(-MOST));
  }
}

function keyOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}
