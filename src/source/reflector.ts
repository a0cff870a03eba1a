// Lists and watches one resource of the API server, in the manner of client-go's reflector.
import { BackOff } from "./back-off.ts";
import type { Server } from "./exchange.ts";
import type { KnownObjects } from "./known-objects.ts";
import { readList } from "./list.ts";
import { lost, type Refused, RequestFailure } from "./request-failure.ts";
import type { Resource } from "./resources.ts";
import { pause } from "./timing.ts";
import { type ObjectEvent, readEvents, type WatchQuestion } from "./watch.ts";

/** What the kinds learn of their server together. */
export interface Abilities {
  /** It sends what exists as the beginning of a watch; until it says otherwise we take it that it does. */
  streamsLists: boolean;
}

export interface Reflection {
  readonly server: Server;
  readonly resource: Resource;
  readonly known: KnownObjects;
  readonly abilities: Abilities;
  readonly signal: AbortSignal;
  /** Takes a line for the operator: what failed, and when it is tried again. */
  readonly report: (line: string) => void;
}

/** Milliseconds: a watch that ends sooner and brought nothing did not work. */
const VERY_SHORT = 1000;

/**
 * Milliseconds in which a streamed list must end with its bookmark. client-go warns after the same time. A server or a
 * proxy in front of it that accepts `sendInitialEvents` and ignores it never sends that bookmark.
 */
const BOOKMARK_LIMIT = 10_000;

/** A server that does not know `sendInitialEvents`, or not this version, answers so. */
const NOT_UNDERSTOOD = [400, 422];

const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const TOO_MANY = 429;
const SERVER_FAULT = 500;

/** Lists and watches one resource, in the manner of client-go's reflector, until the signal is aborted. */
export class Reflector {
  readonly #given: Reflection;
  readonly #backOff: BackOff;
  /** Everything up to this version was told. `0`: any version will do for a start; empty: only the newest will. */
  #version = "0";
  #doing: "list" | "stream" | "watch" = "list";
  /** A streamed list broke off, so the next one is of the plain sort. */
  #distrustsStreams = false;
  #began = 0;
  /** The present watch brought something. */
  #moved = false;

  constructor(given: Reflection) {
    this.#given = given;
    this.#backOff = new BackOff(given.server.timing);
  }

  /** Rejects only for a fault of ours. */
  async run(): Promise<void> {
    const { signal } = this.#given;
    while (!signal.aborted) {
      try {
        await this.#turn();
      } catch (error) {
        if (!(error instanceof RequestFailure)) throw error;
        if (!signal.aborted) await this.#recover(error);
      }
    }
  }

  #turn(): Promise<void> {
    if (this.#doing === "watch") return this.#watch();
    this.#doing = this.#given.abilities.streamsLists && !this.#distrustsStreams ? "stream" : "list";
    return this.#doing === "stream" ? this.#watch() : this.#list();
  }

  async #list(): Promise<void> {
    const { server, resource, known, signal } = this.#given;
    const version = await readList(server, { resource, version: this.#version, signal }, known);
    this.#finishList(version);
  }

  #finishList(version: string): void {
    this.#given.known.end();
    this.#version = version;
    this.#doing = "watch";
    this.#distrustsStreams = false;
  }

  async #watch(): Promise<void> {
    const { server, resource, signal, known } = this.#given;
    this.#began = server.timing.now();
    this.#moved = false;
    const streams = this.#doing === "stream";
    if (streams) known.begin();
    // A streamed list takes no `0`: it is told from the newest state if from none in particular.
    const version = streams && this.#version === "0" ? "" : this.#version;
    const initial = streams ? "streamed" : "none";
    const question = { resource, version, initial } as const;
    if (!streams) await readEvents(server, { ...question, signal }, (event) => this.#take(event));
    else if ((await this.#stream(question)) === "no bookmark") return;
    if (this.#doing === "stream") throw lost(new Error("the watch ended before it had told all objects"));
    if (!this.#hasWorked()) throw lost(new Error("the watch ended at once"));
  }

  /** Reads a watch that begins with a list, and gives it up where the bookmark that ends this list does not come. */
  async #stream(question: Omit<WatchQuestion, "signal">): Promise<"ended" | "no bookmark"> {
    const { server, resource, signal, abilities, report } = this.#given;
    const request = new AbortController();
    const abort = () => request.abort();
    signal.addEventListener("abort", abort);
    let overdue = false;
    const cancel = server.timing.after(BOOKMARK_LIMIT, () => {
      overdue = this.#doing === "stream" && !signal.aborted;
      if (overdue) abort();
    });
    try {
      await readEvents(server, { ...question, signal: request.signal }, (event) => this.#take(event));
      return "ended";
    } catch (error) {
      if (!overdue) throw error;
      abilities.streamsLists = false;
      const seconds = BOOKMARK_LIMIT / 1000;
      report(
        `${resource.name}: the server sent no bookmark within ${seconds} s after sendInitialEvents; listing instead`,
      );
      return "no bookmark";
    } finally {
      cancel();
      signal.removeEventListener("abort", abort);
    }
  }

  #take(event: ObjectEvent): void {
    const { known } = this.#given;
    if (event.type === "set") known.item(event.raw);
    else if (event.type === "delete") known.remove(event.raw);
    else if (this.#doing === "stream" && event.endsInitial) this.#finishList(event.resourceVersion);
    // The objects that exist come in any order of versions.
    if (this.#doing === "stream") this.#moved = true;
    else if (event.resourceVersion !== "") this.#advance(event.resourceVersion);
  }

  #advance(version: string): void {
    if (version !== this.#version) this.#moved = true;
    this.#version = version;
  }

  #hasWorked(): boolean {
    return this.#moved || this.#given.server.timing.now() - this.#began >= VERY_SHORT;
  }

  async #recover({ message, fault }: RequestFailure): Promise<void> {
    const { server, abilities, resource, signal, report } = this.#given;
    const failed = `cannot ${this.#doing === "watch" ? "watch" : "list"} ${resource.name}: ${message}`;
    if (this.#doing === "stream" && fault.type === "refused" && NOT_UNDERSTOOD.includes(fault.status)) {
      abilities.streamsLists = false;
      return;
    }
    // Servers end, and are replaced; a watch that worked goes on elsewhere at once.
    if (this.#doing === "watch" && fault.type === "lost" && this.#hasWorked())
      return report(`${failed}; again at once`);
    if (this.#doing === "stream") this.#distrustsStreams = this.#isStreamToBlame(fault);
    if (fault.type === "refused") this.#learnFrom(fault);
    if (fault.type === "unreadable") this.#doing = "list";
    const delay = this.#backOff.next(fault.type === "refused" ? fault.retryAfter : 0);
    report(`${failed}; again in ${(delay / 1000).toFixed(1)} s`);
    await pause(server.timing, delay, signal);
  }

  // A server that is busy or away says nothing about streams.
  #isStreamToBlame(fault: RequestFailure["fault"]): boolean {
    return fault.type === "refused" ? fault.status !== TOO_MANY : this.#hasWorked();
  }

  #learnFrom({ status, versionGone }: Refused): void {
    if (this.#doing !== "watch") {
      if (versionGone || NOT_UNDERSTOOD.includes(status)) this.#version = "";
    } else if (versionGone || !isPassing(status)) this.#doing = "list";
  }
}

/** The same request may well be granted later. */
function isPassing(status: number): boolean {
  return status === UNAUTHORIZED || status === FORBIDDEN || status === TOO_MANY || status >= SERVER_FAULT;
}
