// Holds requests back while the API server is unavailable, with one back-off that all watches share.
import { BackOff } from "../back-off.ts";
import { type ApiAnswer, type ApiConnection, type ApiRequest, ConnectionError } from "../connection.ts";
import { readRetryAfter, retryAfterDelay } from "../retry-after.ts";
import type { Timing } from "../timing.ts";

/** Nominal milliseconds of the first delay of an outage. */
const FIRST_DELAY = 100;

/** Milliseconds: the longest delay between two attempts, in the first minutes of an outage and after them. */
export const EARLY_MAX = 1000;
export const LATE_MAX = 5000;

/** Milliseconds of an outage during which the short maximum holds. */
export const EARLY = 300_000;

/**
 * The same for the single attempts that all watches share, in the first minute: most restarts are over by then, and
 * rules are to be right within a second of their end. Less than the client's own limit of five requests a second.
 */
const RESTART_MAX = 500;
const RESTART = 60_000;

/**
 * Milliseconds after the server's return in which its 401 and 403 are retried quickly: it serves before its
 * authorizers have read all roles.
 */
const JUST_BACK = 10_000;

/**
 * Milliseconds until the headers of an answer must be here. The API server sends those of a watch at once; a list it
 * may have to assemble first.
 */
const HEADER_LIMIT = { watch: 15_000, list: 30_000 };

const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;

interface Outage {
  /** `connect`: no connection can be made. `answer`: connections are made, but requests are not answered well. */
  readonly level: "connect" | "answer";
  readonly since: number;
  /** When the next attempt may be made. */
  readonly due: number;
}

/**
 * Whether one API server can be used. While it cannot, a single request at a time is sent, after a growing delay, and
 * all others wait; once a connection stands (or, where connections stood, a request is answered) all go on at once.
 *
 * A 5xx, a 429 without Retry-After, a page that is no JSON or no answer at all counts for the whole server only while no other watch or list is
 * being answered: else it is the matter of one resource. A 429 with Retry-After always is: API priority and fairness and a watch cache
 * that is being filled reject single requests.
 */
export class ServerAvailability {
  readonly #connection: ApiConnection;
  readonly #timing: Timing;
  readonly #stopListening: () => void;
  readonly #connecting: BackOff;
  readonly #answering: BackOff;
  readonly #waiting = new Set<() => void>();
  /** Resources with an open answer of status 200. */
  readonly #answered = new Set<string>();
  #outage: Outage | undefined;
  /** The resource whose request is the single attempt. */
  #attempting: string | undefined;
  #goodAnswers = 0;
  #backSince: number;

  constructor(connection: ApiConnection, timing: Timing) {
    this.#connection = connection;
    this.#timing = timing;
    this.#connecting = new BackOff(timing, FIRST_DELAY);
    this.#answering = new BackOff(timing, FIRST_DELAY);
    this.#backSince = timing.now();
    this.#stopListening = connection.onConnected(() => this.#connected());
  }

  /** For messages. */
  get server(): string {
    return this.#connection.server;
  }

  /** Requests wait for the server, so that a client need not wait before its next one. */
  get isDown(): boolean {
    return this.#outage !== undefined;
  }

  /** The server came back, or a connection was made, within the last ten seconds. */
  get isJustBack(): boolean {
    return this.#timing.now() - this.#backSince < JUST_BACK;
  }

  close(): void {
    this.#stopListening();
  }

  /** The answer for this resource was read to its end, or will not be read any further. */
  ended(resource: string): void {
    this.#answered.delete(resource);
  }

  /** Returns when a request for this resource may be sent, or the signal is aborted. */
  async admit(resource: string, signal: AbortSignal): Promise<void> {
    while (this.#outage && this.#attempting !== resource && !signal.aborted) {
      const wait = this.#outage.due - this.#timing.now();
      if (wait <= 0 && this.#attempting === undefined) this.#attempting = resource;
      else await this.#change(signal, this.#attempting === undefined ? wait : undefined);
    }
  }

  /** Sends a GET for this resource when it is its turn. Rejects with ConnectionError. */
  async send(resource: string, request: ApiRequest): Promise<ApiAnswer> {
    await this.admit(resource, request.signal);
    const isSingle = this.#attempting === resource;
    const before = this.#goodAnswers;
    // Failures of requests that are older than the last good answer or than the outage say nothing new.
    const isNews = () => before === this.#goodAnswers && (isSingle || !this.#outage);
    try {
      const answer = await this.#sendWithin(request);
      if (!concernsServer(answer)) this.#answeredWell();
      else if (isNews() && this.#isUnanswered(resource)) this.#fail("answer", this.#askedDelay(answer));
      if (answer.status === 200 && !concernsServer(answer)) this.#answered.add(resource);
      return answer;
    } catch (error) {
      if (error instanceof ConnectionError && !request.signal.aborted && isNews()) this.#take(error, resource);
      throw error;
    } finally {
      if (isSingle) this.#attempting = undefined;
      this.#wake();
    }
  }

  /** Returns when something about the outage changed, or after so many milliseconds. */
  #change(signal: AbortSignal, wait: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const stop = () => {
        cancel();
        signal.removeEventListener("abort", stop);
        this.#waiting.delete(stop);
        resolve();
      };
      const cancel = wait === undefined ? () => {} : this.#timing.after(wait, stop);
      signal.addEventListener("abort", stop);
      this.#waiting.add(stop);
    });
  }

  #wake(): void {
    for (const stop of [...this.#waiting]) stop();
  }

  async #sendWithin(request: ApiRequest): Promise<ApiAnswer> {
    const limit = /[?&]watch=/.test(request.path) ? HEADER_LIMIT.watch : HEADER_LIMIT.list;
    const attempt = new AbortController();
    const late = new ConnectionError(this.server, "ETIMEDOUT", `no answer within ${limit / 1000} s`, "request");
    const cancel = this.#timing.after(limit, () => attempt.abort(late));
    request.signal.addEventListener("abort", () => attempt.abort(request.signal.reason), { once: true });
    if (request.signal.aborted) attempt.abort(request.signal.reason);
    try {
      return await this.#connection.send({ ...request, signal: attempt.signal });
    } catch (error) {
      throw attempt.signal.reason === late ? late : error;
    } finally {
      cancel();
    }
  }

  #take({ phase, code }: ConnectionError, resource: string): void {
    if (phase === "connect") {
      // Attempts to read credentials may start a program each.
      const max = code === "CREDENTIALS" ? LATE_MAX : this.#maxDelay();
      this.#fail("connect", this.#connecting.next(max));
    } else if (this.#isUnanswered(resource)) this.#fail("answer", this.#answering.next(this.#maxDelay()));
  }

  /** No other resource has an answer that is being read. */
  #isUnanswered(resource: string): boolean {
    return [...this.#answered].every((other) => other === resource);
  }

  #askedDelay({ headers }: ApiAnswer): number {
    const asked = readRetryAfter(headers);
    return asked > 0 ? retryAfterDelay(asked, this.#timing) : this.#answering.next(this.#maxDelay());
  }

  #maxDelay(): number {
    const now = this.#timing.now();
    const elapsed = now - (this.#outage?.since ?? now);
    if (elapsed < RESTART) return RESTART_MAX;
    return elapsed < EARLY ? EARLY_MAX : LATE_MAX;
  }

  #answeredWell(): void {
    this.#goodAnswers++;
    this.#answering.reset();
    this.#recover();
  }

  #connected(): void {
    this.#backSince = this.#timing.now();
    if (this.#outage?.level === "connect") this.#recover();
    this.#connecting.reset();
  }

  #recover(): void {
    if (!this.#outage) return;
    this.#outage = undefined;
    this.#backSince = this.#timing.now();
    this.#wake();
  }

  #fail(level: Outage["level"], delay: number): void {
    const now = this.#timing.now();
    this.#outage = { level, since: this.#outage?.since ?? now, due: now + delay };
  }
}

/** A proxy in front of the server may answer for it, with a page of its own and status 200. */
function concernsServer({ status, headers }: ApiAnswer): boolean {
  if (status === 200) return !(headers.get("content-type") ?? "json").includes("json");
  return status >= SERVER_ERROR || (status === TOO_MANY_REQUESTS && readRetryAfter(headers) === 0);
}
