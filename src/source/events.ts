// Writes Kubernetes Events to the API server in the background, as client-go's recorder does.
import { BackOff } from "./back-off.ts";
import {
  type EventObject,
  eventKey,
  eventObject,
  type NewEvent,
  printMicroTime,
  type Reporter,
} from "./event-object.ts";
import { continueEvent, createEvent, type Outcome } from "./event-writer.ts";
import type { Server } from "./exchange.ts";
import { retryAfterDelay } from "./retry-after.ts";
import { pause } from "./timing.ts";

/** Takes events from those who have something to tell. */
export interface EventRecorder {
  /** Returns at once and never throws. */
  record(event: NewEvent): void;
  /** Takes no more; what waits gets two seconds. */
  close(): Promise<void>;
}

export interface RecorderInput extends Server, Reporter {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Told in words of an event that was given up. */
  readonly complain: (text: string) => void;
}

/** Where there is no API server. */
export const NO_EVENTS: EventRecorder = { record() {}, close: async () => {} };

/** Attempts at one write, as client-go has them. */
const TRIES = 12;

/** Milliseconds in which repetitions are only counted, and after which a series without one is over. */
const REST = 360_000;

/** Different events that are known at a time; more are left out. */
const MOST = 1000;

const FAREWELL = 2000;

/** Nominal milliseconds of the first delay between two attempts, and of the longest. */
const DELAY = { first: 1600, max: 60_000 };

/** One event and its repetitions. */
interface Known {
  readonly key: string;
  readonly object: EventObject;
  /** How often it came, and how often of that was told, or given up. */
  count: number;
  told: number;
  /** Nanoseconds since 1970. */
  seen: bigint;
  /** The server is believed to have it. */
  created: boolean;
  queued: boolean;
  cancelRest: () => void;
}

/**
 * Writes events one after the other. The first of a kind is made, the second makes a series of it, and then the count is
 * written every six minutes while it grows: as client-go does, so a fault in each pass is no load for the server.
 */
export function createEventRecorder(input: RecorderInput): EventRecorder {
  return new Recorder(input);
}

class Recorder implements EventRecorder {
  readonly #input: RecorderInput;
  readonly #known = new Map<string, Known>();
  readonly #queue: Known[] = [];
  readonly #stop = new AbortController();
  #working: Promise<void> | undefined;
  #last = 0n;
  #full = false;
  #closing = false;

  constructor(input: RecorderInput) {
    this.#input = input;
  }

  record(event: NewEvent): void {
    if (this.#closing) return;
    const key = eventKey(event);
    const known = this.#known.get(key);
    if (known) this.#repeat(known);
    else if (this.#known.size < MOST) this.#begin(key, event);
    else this.#leaveOut();
  }

  async close(): Promise<void> {
    this.#closing = true;
    for (const known of this.#known.values()) known.cancelRest();
    const cancel = this.#input.timing.after(FAREWELL, () => this.#stop.abort());
    await this.#working;
    cancel();
  }

  #begin(key: string, event: NewEvent): void {
    const seen = this.#nanoseconds();
    const object = eventObject(event, this.#input, seen);
    const known = { key, object, count: 1, told: 0, seen, created: false, queued: false, cancelRest: () => {} };
    this.#known.set(key, known);
    this.#enqueue(known);
  }

  #repeat(known: Known): void {
    known.count++;
    known.seen = this.#nanoseconds();
    if (known.count === 2) this.#enqueue(known);
  }

  #leaveOut(): void {
    if (!this.#full) this.#input.complain("Too many Events at a time; new ones are left out");
    this.#full = true;
  }

  /** Never the same twice, for it names the event. */
  #nanoseconds(): bigint {
    const now = BigInt(Math.round(this.#input.now() * 1000)) * 1000n;
    this.#last = now > this.#last ? now : this.#last + 1n;
    return this.#last;
  }

  #enqueue(known: Known): void {
    if (known.queued) return;
    known.queued = true;
    this.#queue.push(known);
    this.#working ??= this.#work();
  }

  async #work(): Promise<void> {
    for (let known = this.#queue.shift(); known; known = this.#queue.shift()) {
      known.queued = false;
      known.cancelRest();
      await this.#deliver(known);
      if (!this.#closing) this.#rest(known);
    }
    this.#working = undefined;
  }

  #rest(known: Known): void {
    known.cancelRest = this.#input.timing.after(REST, () => {
      if (known.count > known.told) this.#enqueue(known);
      else this.#forget(known);
    });
  }

  #forget({ key }: Known): void {
    this.#known.delete(key);
    this.#full = false;
  }

  async #deliver(known: Known): Promise<void> {
    const { timing, complain } = this.#input;
    const backOff = new BackOff(timing, DELAY.first);
    const { signal } = this.#stop;
    let words = "the process ends";
    for (let tries = 0; tries < TRIES && !signal.aborted; tries++) {
      const outcome = await this.#attempt(known);
      if (outcome.type === "written") return;
      if (outcome.type === "refused" || outcome.type === "later") words = outcome.words;
      if (outcome.type === "refused") break;
      if (outcome.type !== "later" || tries + 1 === TRIES) continue;
      await pause(timing, Math.max(backOff.next(DELAY.max), retryAfterDelay(outcome.asked, timing)), signal);
    }
    const { reason, regarding } = known.object;
    const name = [regarding.namespace, regarding.name].filter((part) => part !== undefined).join("/");
    complain(`Event ${reason} of ${regarding.kind} ${name} is given up: ${words}`);
  }

  async #attempt(known: Known): Promise<Outcome> {
    const { object, count, seen, created } = known;
    const { signal } = this.#stop;
    known.told = count;
    const series = count > 1 ? { count, lastObservedTime: printMicroTime(seen) } : undefined;
    const outcome =
      created && series
        ? await continueEvent(this.#input, object, series, signal)
        : await createEvent(this.#input, { ...object, ...(series && { series }) }, signal);
    known.created = outcome.type === "written" || outcome.type === "exists" || (created && outcome.type !== "missing");
    return outcome.type === "exists" && !series ? { type: "written" } : outcome;
  }
}
