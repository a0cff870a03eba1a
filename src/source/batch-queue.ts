// What has not been read yet, the latest of each object?
import type { ObjectIdentity } from "../api/object-name.ts";
import type { Kind } from "../api/objects.ts";
import type { PassedOver } from "../api/reading.ts";
import type { InputError } from "../errors.ts";
import type { Batch, Change, SetObject } from "./source.ts";
import { systemTiming, type Timing } from "./timing.ts";

/** What there is to say about an object. */
export interface Notes {
  readonly problems: readonly InputError[];
  readonly passedOver: readonly PassedOver[];
}

/** What became known of one object. */
export interface News {
  readonly change: SetObject | { readonly type: "delete"; readonly identity: ObjectIdentity } | undefined;
  /** `as before`: what was said of it before is true still, and need not be said again. */
  readonly notes: Notes | "as before";
}

interface Unread {
  readonly change: News["change"];
  readonly notes: Notes;
  /** A reader who has read all before has never heard of the object. */
  readonly fresh: boolean;
}

/**
 * Milliseconds between two batches. Each batch makes its reader look at every page of Services that it touches, so a
 * stream of single changes would cost far more than the changes; passes are a second apart anyway.
 */
const GAP = 25;

export const NOTHING: Notes = { problems: [], passedOver: [] };

/**
 * Holds news until they are read. Later news of an object replace earlier ones, so that a slow reader costs no more
 * than the objects that there are.
 */
export class BatchQueue {
  readonly #unread = new Map<string, Unread>();
  readonly #complete = new Set<Kind>();
  readonly #timing: Timing;
  #failure: { readonly error: unknown } | undefined;
  /** Ends a wait for anything to tell. */
  #wake = () => {};
  /** Ends the gap behind a batch. */
  #hurry = () => {};

  constructor(timing = systemTiming) {
    this.#timing = timing;
  }

  /** `key` is unique among all objects; `known` says whether the news before made the reader believe that it exists. */
  put(key: string, news: News, known: boolean): void {
    const before = this.#unread.get(key);
    const fresh = before?.fresh ?? !known;
    // An object that came and went between two readings was never there.
    const change = fresh && news.change?.type === "delete" ? undefined : (news.change ?? before?.change);
    const notes = news.notes === "as before" ? (before?.notes ?? NOTHING) : news.notes;
    if (change || notes.problems.length > 0 || notes.passedOver.length > 0) {
      this.#unread.set(key, { change, notes, fresh });
      this.#wake();
    } else this.#unread.delete(key);
  }

  /** All objects of this kind have been put. */
  complete(kind: Kind): void {
    this.#complete.add(kind);
    this.#hurry();
    this.#wake();
  }

  /** The reader gets this error instead of any further news. */
  fail(error: unknown): void {
    this.#failure = { error };
    this.#hurry();
    this.#wake();
  }

  /**
   * Batches until the signal is aborted. After a rest news are told at once, with all that arrives in the same turn of
   * the event loop; then a little later, but for a kind that becomes complete and a failure.
   */
  async *read(signal: AbortSignal): AsyncGenerator<Batch, void, undefined> {
    for (;;) {
      await this.#arrival(signal);
      if (signal.aborted) return;
      await new Promise(setImmediate);
      if (this.#failure) throw this.#failure.error;
      yield this.#take();
      await this.#gap(signal);
    }
  }

  #gap(signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#complete.size > 0 || this.#failure) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = () => {
        cancel();
        signal.removeEventListener("abort", stop);
        this.#hurry = () => {};
        resolve();
      };
      const cancel = this.#timing.after(GAP, stop);
      signal.addEventListener("abort", stop);
      this.#hurry = stop;
    });
  }

  #arrival(signal: AbortSignal): Promise<void> {
    const here = this.#unread.size > 0 || this.#complete.size > 0 || this.#failure;
    if (here || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = () => {
        signal.removeEventListener("abort", stop);
        this.#wake = () => {};
        resolve();
      };
      signal.addEventListener("abort", stop);
      this.#wake = stop;
    });
  }

  #take(): Batch {
    const unread = [...this.#unread.values()];
    const changes = unread.flatMap(({ change }): readonly Change[] => (change ? [change] : []));
    const complete = [...this.#complete].map((kind): Change => ({ type: "complete", kind }));
    this.#unread.clear();
    this.#complete.clear();
    return {
      changes: [...changes, ...complete],
      problems: unread.flatMap(({ notes }) => notes.problems),
      passedOver: unread.flatMap(({ notes }) => notes.passedOver),
    };
  }
}
