// Describes why a request to the API server failed, and what that means for the next one.
import type { Status } from "../api/envelope.ts";
import { escapeForeign } from "../api/quote.ts";

/** What was asked is refused, with a status. */
export interface Refused {
  readonly type: "refused";
  readonly status: number;
  /** The version that was asked from is gone, or not there yet: only a new list helps. */
  readonly versionGone: boolean;
  /** Milliseconds that the server asks to wait; 0 where it does not. */
  readonly retryAfter: number;
}

/**
 * `lost`: no answer, or a broken one. `ended`: an answer that the server ended too soon. `unreadable`: an answer, but not
 * what the API sends.
 */
export type Fault = Refused | { readonly type: "lost" | "ended" | "unreadable" };

/** A request to the API server that failed. The message is for people, on one line. */
export class RequestFailure extends Error {
  override readonly name = "RequestFailure";
  readonly fault: Fault;

  constructor(fault: Fault, message: string) {
    super(message);
    this.fault = fault;
  }
}

const GONE = 410;
const LONGEST_MESSAGE = 300;

/** A refusal in the server's words; `retryAfter`, in milliseconds, is what the answer's header says, 0 if nothing. */
export function refusal(code: number, status: Status | undefined, retryAfter = 0): RequestFailure {
  const versionGone = code === GONE || status?.tooLarge === true;
  const asked = Math.max(retryAfter, (status?.retryAfter ?? 0) * 1000);
  const words = [status?.reason, status?.message].filter(Boolean).join(": ").slice(0, LONGEST_MESSAGE);
  const message = words === "" ? String(code) : `${code} ${escapeForeign(words)}`;
  return new RequestFailure({ type: "refused", status: code, versionGone, retryAfter: asked }, message);
}

/** The connection to the server failed. */
export function lost(cause: Error): RequestFailure {
  return new RequestFailure({ type: "lost" }, escapeForeign(cause.message.slice(0, LONGEST_MESSAGE)));
}

/** The server ended an answer before it said what it should. */
export function ended(what: string): RequestFailure {
  return new RequestFailure({ type: "ended" }, what);
}

/** What the server sent is not what it should be. */
export function unreadable(what: string): RequestFailure {
  return new RequestFailure({ type: "unreadable" }, `the answer is ${what}`);
}
