// Lists and watches one resource of the API server, in the manner of client-go's reflector.
import { BackOff } from "./back-off.ts";
import type { ApiConnection } from "./connection.ts";
import type { KnownObjects } from "./known-objects.ts";
import { readList } from "./list.ts";
import { ended, type Fault, type Refused, RequestFailure } from "./request-failure.ts";
import type { Resource } from "./resources.ts";
import { retryAfterDelay } from "./retry-after.ts";
import { pause, type Timing } from "./timing.ts";
import { EARLY, EARLY_MAX, LATE_MAX, type ServerAvailability } from "./watch/server-availability.ts";
import type { WatchedResource, WatchStatus } from "./watch/watch-status.ts";
import { type ObjectEvent, readEvents, type WatchQuestion } from "./watch.ts";

/** What the reflectors of one server learn together. */
export interface Abilities {
  /** The server supports `sendInitialEvents`; assumed until it shows otherwise. */
  streamsLists: boolean;
}

export interface Reflection {
  readonly availability: ServerAvailability;
  readonly status: WatchStatus;
  readonly timing: Timing;
  readonly resource: Resource;
  readonly known: KnownObjects;
  readonly abilities: Abilities;
  readonly signal: AbortSignal;
}

/** Milliseconds: a watch that ends sooner and brought nothing did not work. */
const VERY_SHORT = 1000;

/**
 * Milliseconds in which a streamed list must end with its bookmark. client-go warns after the same time. A server or a
 * proxy in front of it that accepts `sendInitialEvents` and ignores it never sends that bookmark.
 */
const BOOKMARK_LIMIT = 10_000;

/** Nominal milliseconds of the first delay after a failure that concerns one resource. */
const FIRST_DELAY = 200;

/** Milliseconds for which missing rights are retried quickly. */
const RIGHTS_EARLY = 10_000;

/** Relists without a delay while no watch in between worked; a server that loses each version at once is broken. */
const MOST_RELISTS = 5;

/** Status codes of a server that does not know `sendInitialEvents`, or not this version. */
const NOT_UNDERSTOOD = [400, 422];

const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const TOO_MANY = 429;
const SERVER_FAULT = 500;

/** Lists and watches one resource until the signal is aborted. */
export class Reflector {
  readonly #given: Reflection;
  readonly #connection: ApiConnection;
  readonly #watched: WatchedResource;
  readonly #backOff: BackOff;
  /** When the failures began that no working watch has ended yet. */
  #failingSince: number | undefined;
  #relists = 0;
  /** Everything up to this version is known. `0`: any version will do for a start; empty: only the newest will. */
  #version = "0";
  #doing: "list" | "stream" | "watch" = "list";
  /** A streamed list broke off, so the next one is an ordinary list. */
  #distrustsStreams = false;
  /** When the answer of the present watch began. */
  #began = 0;
  /** The present watch brought something. */
  #moved = false;

  constructor(given: Reflection) {
    const { availability, resource, known, timing } = given;
    this.#given = given;
    this.#backOff = new BackOff(timing, FIRST_DELAY);
    this.#watched = { kind: resource.kind, name: resource.name, changes: () => known.changes };
    this.#connection = {
      server: availability.server,
      onConnected: () => () => {},
      send: async (request) => {
        const answer = await availability.send(resource.name, request);
        if (answer.status !== 200) return answer;
        this.#began = timing.now();
        if (this.#doing === "watch") given.status.connected(this.#watched);
        return answer;
      },
      close: async () => {},
    };
  }

  /** Rejects only for a programming error. */
  async run(): Promise<void> {
    const { signal, availability, resource, status } = this.#given;
    status.disconnected(this.#watched);
    while (!signal.aborted) {
      await availability.admit(resource.name, signal);
      const failure = await this.#turn().then(
        () => undefined,
        (error: unknown) => error,
      );
      availability.ended(resource.name);
      status.disconnected(this.#watched);
      if (failure instanceof RequestFailure) await this.#recover(failure);
      else if (failure !== undefined) throw failure;
    }
  }

  #turn(): Promise<void> {
    if (this.#doing === "watch") return this.#watch();
    this.#doing = this.#given.abilities.streamsLists && !this.#distrustsStreams ? "stream" : "list";
    return this.#doing === "stream" ? this.#watch() : this.#list();
  }

  async #list(): Promise<void> {
    const { resource, known, signal, timing } = this.#given;
    const server = { connection: this.#connection, timing };
    const version = await readList(server, { resource, version: this.#version, signal }, known);
    this.#finishList(version);
  }

  #finishList(version: string): void {
    this.#given.known.end();
    this.#given.status.listed(this.#watched);
    this.#version = version;
    this.#doing = "watch";
    this.#distrustsStreams = false;
  }

  async #watch(): Promise<void> {
    const { resource, signal, known, timing } = this.#given;
    this.#began = Number.POSITIVE_INFINITY;
    this.#moved = false;
    const streams = this.#doing === "stream";
    if (streams) known.begin();
    // A streamed list knows no `0`: it begins from the newest state where no version is given.
    const version = streams && this.#version === "0" ? "" : this.#version;
    const initial = streams ? "streamed" : "none";
    const question = { resource, version, initial } as const;
    if (streams) {
      if ((await this.#stream(question)) === "no bookmark") return;
    } else {
      const server = { connection: this.#connection, timing };
      await readEvents(server, { ...question, signal }, (event) => this.#take(event));
    }
    if (this.#doing === "stream") throw ended("the watch ended before it had sent all objects");
    if (!this.#hasWorked()) throw ended("the watch ended at once");
    this.#succeed();
  }

  /** Reads a watch that begins with a list, and ends it where the bookmark that ends this list does not come. */
  async #stream(question: Omit<WatchQuestion, "signal">): Promise<"ended" | "no bookmark"> {
    const { signal, abilities, resource, status, timing } = this.#given;
    const request = new AbortController();
    const abort = () => request.abort();
    signal.addEventListener("abort", abort);
    let overdue = false;
    let cancel = () => {};
    const begin = () => {
      cancel = timing.after(BOOKMARK_LIMIT, () => {
        overdue = this.#doing === "stream" && !signal.aborted;
        if (overdue) abort();
      });
    };
    const connection: ApiConnection = {
      ...this.#connection,
      // The limit counts from the answer: a request may wait long for the server's return.
      send: async (request) => {
        const answer = await this.#connection.send(request);
        begin();
        return answer;
      },
    };
    try {
      await readEvents({ connection, timing }, { ...question, signal: request.signal }, (event) => this.#take(event));
      return "ended";
    } catch (error) {
      if (!overdue) throw error;
      abilities.streamsLists = false;
      const seconds = BOOKMARK_LIMIT / 1000;
      const reason = `the server sent no bookmark within ${seconds} s after sendInitialEvents; listing instead`;
      status.failed(this.#watched, "resource", `${resource.name}: ${reason}`);
      return "no bookmark";
    } finally {
      cancel();
      signal.removeEventListener("abort", abort);
    }
  }

  #take(event: ObjectEvent): void {
    const { known, status } = this.#given;
    status.heard(this.#watched);
    if (event.type === "set") known.item(event.raw);
    else if (event.type === "delete") known.remove(event.raw);
    else {
      known.bookmark();
      if (this.#doing === "stream" && event.endsInitial) {
        this.#finishList(event.resourceVersion);
        status.connected(this.#watched);
        this.#moved = true;
        return;
      }
    }
    // The objects that exist come in any order of versions.
    if (this.#doing === "stream") this.#moved = true;
    else if (event.resourceVersion !== "") this.#advance(event.resourceVersion);
  }

  #advance(version: string): void {
    if (version !== this.#version) this.#moved = true;
    this.#version = version;
  }

  #hasWorked(): boolean {
    return this.#moved || this.#given.timing.now() - this.#began >= VERY_SHORT;
  }

  #succeed(): void {
    this.#backOff.reset();
    this.#failingSince = undefined;
    this.#relists = 0;
  }

  async #recover({ message, fault }: RequestFailure): Promise<void> {
    const { abilities, availability, resource, signal, status, timing } = this.#given;
    if (signal.aborted) return;
    const { isDown } = availability;
    const reason = `cannot ${this.#doing === "watch" ? "watch" : "list"} ${resource.name}: ${message}`;
    if (this.#doing === "stream" && fault.type === "refused" && NOT_UNDERSTOOD.includes(fault.status)) {
      abilities.streamsLists = false;
      return;
    }
    const worked = this.#doing === "watch" && this.#hasWorked();
    if (worked) this.#succeed();
    status.failed(this.#watched, isDown || fault.type === "lost" ? "server" : "resource", reason);
    const delay = this.#delayAfter(fault, { isDown, worked });
    this.#learnFrom(fault);
    await pause(timing, delay, signal);
  }

  /** Milliseconds until the next request of this resource; what the server's availability asks for comes on top. */
  #delayAfter(fault: Fault, { isDown, worked }: { readonly isDown: boolean; readonly worked: boolean }): number {
    const { timing } = this.#given;
    if (fault.type === "refused" && fault.retryAfter > 0) return retryAfterDelay(fault.retryAfter, timing);
    if (isDown) return 0;
    if (worked && fault.type === "lost") return 0;
    if (fault.type === "refused" && fault.versionGone && this.#mayRelist()) return 0;
    this.#failingSince ??= timing.now();
    return this.#backOff.next(this.#longestDelay(fault, timing.now() - this.#failingSince));
  }

  /** A version is gone: whether the next list may go at once. */
  #mayRelist(): boolean {
    if (this.#doing === "watch") return ++this.#relists <= MOST_RELISTS;
    // The newest version is asked for once without a delay.
    return this.#version !== "" && this.#version !== "0";
  }

  #longestDelay(fault: Fault, failing: number): number {
    const lacksRights = fault.type === "refused" && (fault.status === UNAUTHORIZED || fault.status === FORBIDDEN);
    const isEarly = lacksRights ? failing < RIGHTS_EARLY || this.#given.availability.isJustBack : failing < EARLY;
    return isEarly ? EARLY_MAX : LATE_MAX;
  }

  #learnFrom(fault: Fault): void {
    if (this.#doing === "stream") this.#distrustsStreams = this.#isStreamToBlame(fault);
    if (fault.type === "unreadable") this.#doing = "list";
    if (fault.type === "refused") this.#learnFromRefusal(fault);
  }

  // A server that is busy or away says nothing about streams.
  #isStreamToBlame(fault: Fault): boolean {
    return fault.type === "refused" ? fault.status !== TOO_MANY : this.#hasWorked();
  }

  #learnFromRefusal({ status, versionGone }: Refused): void {
    if (this.#doing !== "watch") {
      if (versionGone || NOT_UNDERSTOOD.includes(status)) this.#version = "";
    } else if (versionGone || !isPassing(status)) this.#doing = "list";
  }
}

/** The same request may well be granted later. */
function isPassing(status: number): boolean {
  return status === UNAUTHORIZED || status === FORBIDDEN || status === TOO_MANY || status >= SERVER_FAULT;
}
