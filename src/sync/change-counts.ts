// How many objects arrived, and how many of them are not in the kernel yet?
import type { Change } from "../source/source.ts";
import { type Observer, together } from "./observer.ts";

const KINDS = ["Service", "EndpointSlice"] as const;

/** Counts changes of Services and EndpointSlices, and tells watchers of both numbers. */
export class ChangeCounts {
  /** What the loops are to tell: all goes on to the watchers. A pass that went well leaves nothing pending. */
  readonly observer: Observer;
  readonly #watchers: Observer;
  readonly #pending = { Service: 0, EndpointSlice: 0 };

  constructor(watchers: Observer) {
    this.#watchers = watchers;
    const idle = () => {};
    const settle: Observer = {
      began: idle,
      changed: idle,
      queued: idle,
      progressed: idle,
      flushed: idle,
      passed: (_, { failure }) => {
        if (failure) return;
        for (const kind of KINDS) this.#pending[kind] = 0;
      },
    };
    this.observer = together([watchers, settle]);
  }

  note(changes: readonly Change[]): void {
    for (const kind of KINDS) {
      const arrived = changes.filter((change) => kindOf(change) === kind).length;
      if (arrived === 0) continue;
      this.#pending[kind] += arrived;
      this.#watchers.changed(kind, { arrived, pending: this.#pending[kind] });
    }
  }
}

/** What a change is about; a list that is complete is about no object. */
function kindOf(change: Change): string | undefined {
  if (change.type === "complete") return undefined;
  return change.type === "set" ? change.object.kind : change.identity.kind;
}
