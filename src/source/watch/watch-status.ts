// Tracks which watches are connected and reports the begin and end of each outage once.
import type { Kind } from "../../api/objects.ts";
import type { Timing } from "../timing.ts";

/** `server`: the connection or the server as a whole fails. `resource`: the server answers, but not for this resource. */
export type FailureScope = "server" | "resource";

/** What the operator should know of the watches. Durations in milliseconds. */
export type WatchNotice =
  | {
      readonly type: "failed";
      readonly scope: FailureScope;
      readonly kind: Kind;
      /** Plural, as the API names it. */
      readonly resource: string;
      readonly reason: string;
      /** The reason was not given before in this outage. */
      readonly isNew: boolean;
      /** The server was reached at least once. */
      readonly wasConnected: boolean;
    }
  | {
      readonly type: "recovered";
      readonly scope: FailureScope;
      /** From the first failure until all watches stood again. */
      readonly duration: number;
      /** Objects that were set or deleted since the first failure, by resource. */
      readonly changes: Readonly<Record<string, number>>;
      readonly wasConnected: boolean;
    };

/** Takes the state of each watch, for metrics. Neither throws nor waits. */
export interface WatchObserver {
  connected(resource: string, isConnected: boolean): void;
  /** An event or a bookmark arrived. */
  heard(resource: string): void;
  /** A list was read to its end. */
  listed(resource: string): void;
}

/** What is known of one watch. */
export interface WatchedResource {
  readonly kind: Kind;
  readonly name: string;
  /** Objects set or deleted so far. */
  readonly changes: () => number;
}

/** Milliseconds after the last watch stands again: the events that it missed arrive first, and are counted. */
const SETTLE = 1000;

/** Different reasons of one outage that are reported. */
const MOST_REASONS = 20;

interface Outage {
  readonly scope: FailureScope;
  readonly since: number;
  readonly wasConnected: boolean;
  readonly reasons: Set<string>;
  /** Those that fail still. */
  readonly failing: Set<WatchedResource>;
  /** All that failed, with their count of changes at that moment. */
  readonly before: Map<WatchedResource, number>;
  cancel: () => void;
}

/** The watches of one API server. */
export class WatchStatus {
  readonly #timing: Timing;
  readonly #notify: (notice: WatchNotice) => void;
  readonly #observer: WatchObserver;
  /** That of the server, and those of single resources. */
  readonly #outages = new Map<"server" | WatchedResource, Outage>();
  #wasConnected = false;

  constructor(timing: Timing, notify: (notice: WatchNotice) => void, observer: WatchObserver) {
    this.#timing = timing;
    this.#notify = notify;
    this.#observer = observer;
  }

  /** The watch stands, and its objects are complete. */
  connected(resource: WatchedResource): void {
    this.#wasConnected = true;
    this.#observer.connected(resource.name, true);
    this.#succeed("server", resource);
    this.#succeed(resource, resource);
  }

  /** The watch ended or has never stood. */
  disconnected({ name }: WatchedResource): void {
    this.#observer.connected(name, false);
  }

  heard({ name }: WatchedResource): void {
    this.#observer.heard(name);
  }

  listed({ name }: WatchedResource): void {
    this.#observer.listed(name);
  }

  failed(resource: WatchedResource, scope: FailureScope, reason: string): void {
    if (scope === "resource") this.#succeed("server", resource);
    const key = scope === "server" ? scope : resource;
    const outage = this.#outages.get(key) ?? this.#begin(key, scope);
    outage.cancel();
    outage.failing.add(resource);
    if (!outage.before.has(resource)) outage.before.set(resource, resource.changes());
    const isNew = !outage.reasons.has(reason) && outage.reasons.size < MOST_REASONS;
    if (isNew) outage.reasons.add(reason);
    const { wasConnected } = outage;
    this.#notify({ type: "failed", scope, kind: resource.kind, resource: resource.name, reason, isNew, wasConnected });
  }

  /** Nothing is reported any more. */
  close(): void {
    for (const { cancel } of this.#outages.values()) cancel();
  }

  #begin(key: "server" | WatchedResource, scope: FailureScope): Outage {
    const outage: Outage = {
      scope,
      since: this.#timing.now(),
      wasConnected: this.#wasConnected,
      reasons: new Set(),
      failing: new Set(),
      before: new Map(),
      cancel: () => {},
    };
    this.#outages.set(key, outage);
    return outage;
  }

  #succeed(key: "server" | WatchedResource, resource: WatchedResource): void {
    const outage = this.#outages.get(key);
    if (!outage?.failing.delete(resource) || outage.failing.size > 0) return;
    const duration = this.#timing.now() - outage.since;
    outage.cancel = this.#timing.after(SETTLE, () => {
      this.#outages.delete(key);
      const { scope, wasConnected, before } = outage;
      const changes = [...before].map(([each, count]) => [each.name, each.changes() - count] as const);
      this.#notify({ type: "recovered", scope, duration, changes: Object.fromEntries(changes), wasConnected });
    });
  }
}
