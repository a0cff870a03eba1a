// What comes back for a GET: its bytes as they arrive, or why not?
import { readStatus, type Status } from "../api/envelope.ts";
import { type ApiAnswer, type ApiConnection, ConnectionError } from "./connection.ts";
import { HeldBytes } from "./held-bytes.ts";
import { lost, refusal } from "./request-failure.ts";
import { readRetryAfter } from "./retry-after.ts";
import { SilenceWatch } from "./silence-watch.ts";
import type { Timing } from "./timing.ts";

/** With whom and how we speak. */
export interface Server {
  readonly connection: ApiConnection;
  readonly timing: Timing;
}

export interface Question {
  readonly path: string;
  readonly signal: AbortSignal;
  /** Milliseconds without a single byte after which the answer is given up. */
  readonly silence: number;
}

/** A refusal's text beyond this is not read. */
const MOST_WORDS = 65_536;

/**
 * The body of a 200. Throws RequestFailure for every other status, for a connection that breaks, and for one that is
 * silent: a way that lost its state, such as a load balancer's, can swallow a stream without ever closing it.
 */
export async function* readBytes(
  { connection, timing }: Server,
  { path, signal, silence }: Question,
): AsyncGenerator<Uint8Array, void, undefined> {
  const watch = new SilenceWatch(timing, silence, signal);
  try {
    const answer = await connection.send({ method: "GET", path, signal: watch.signal });
    watch.heard();
    if (answer.status !== 200) throw refusal(answer.status, await readWords(answer), readRetryAfter(answer.headers));
    for await (const chunk of answer.body) {
      watch.heard();
      yield chunk;
    }
    // A body may end without a word when its request is ended.
    if (watch.reason) throw lost(watch.reason);
  } catch (error) {
    if (watch.reason) throw lost(watch.reason);
    throw error instanceof ConnectionError ? lost(error) : error;
  } finally {
    watch.stop();
  }
}

async function readWords({ body }: ApiAnswer): Promise<Status | undefined> {
  const held = new HeldBytes();
  for await (const chunk of body) {
    if (held.size + chunk.length > MOST_WORDS) return undefined;
    held.keep(chunk);
  }
  return readStatus(parseWords(held.takeText(new Uint8Array())));
}

// A refusal may come from a proxy on the way, in any words.
function parseWords(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
