// Counts objects that arrived and those whose change is not in the kernel yet.
import type { Family } from "../net/family.ts";
import type { Change } from "../source/source.ts";
import { type Observer, together } from "./observer.ts";

const KINDS = ["Service", "EndpointSlice"] as const;

/** Counts changes of Services and EndpointSlices, and tells watchers of both numbers. */
export class ChangeCounts {
  /** What the loops are to tell: all goes on to the watchers. A pass that went well leaves nothing pending. */
  readonly observer: Observer;
  readonly #watchers: Observer;
  readonly #pending = { Service: 0, EndpointSlice: 0 };
  /** Families with a sync that was requested and has not succeeded. */
  readonly #waiting = new Set<Family>();

  constructor(watchers: Observer) {
    this.#watchers = watchers;
    const idle = () => {};
    const settle: Observer = {
      began: idle,
      changed: idle,
      queued: (family) => this.#waiting.add(family),
      progressed: idle,
      flushed: idle,
      passed: (family, { failure }) => {
        if (failure) return;
        this.#waiting.delete(family);
        for (const kind of KINDS) this.#pending[kind] = 0;
      },
    };
    this.observer = together([watchers, settle]);
  }

  /** Objects arrived; the loops have not seen them yet. */
  note(changes: readonly Change[]): void {
    for (const kind of KINDS) {
      const arrived = changes.filter((change) => kindOf(change) === kind).length;
      if (arrived === 0) continue;
      this.#pending[kind] += arrived;
      this.#watchers.changed(kind, { arrived, pending: this.#pending[kind] });
    }
  }

  /** The loops have seen all objects. Where none of them wants a sync, nothing derived from the objects has changed. */
  settle(): void {
    if (this.#waiting.size > 0) return;
    for (const kind of KINDS) {
      if (this.#pending[kind] === 0) continue;
      this.#pending[kind] = 0;
      this.#watchers.changed(kind, { arrived: 0, pending: 0 });
    }
  }
}

/** What a change is about; a list that is complete is about no object. */
function kindOf(change: Change): string | undefined {
  if (change.type === "complete") return undefined;
  return change.type === "set" ? change.object.kind : change.identity.kind;
}
